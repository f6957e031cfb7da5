package decode

import (
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// noteName is the key of a run's [shape] in [backends.Run.Notes]. Files contain the key, so it must
// not change.
const noteName = "decode"

// shape says which outputs of a run are caches, logits and states, in the order in which a step
// computes them. It is stored as a note of the run, so that runs read from files can be compared
// token by token.
type shape struct {
	Caches []cached `json:"caches"`
	Logits []string `json:"logits"`
	States []state  `json:"states,omitempty"` // of a stream, which has no caches or logits
}

// cached describes an output that is a cache, with its token axis and its batch axis.
type cached struct {
	Output string `json:"output"`
	Layer  int    `json:"layer"`
	Part   string `json:"part"`
	Axis   int    `json:"axis"`
	Batch  int    `json:"batch,omitempty"`
	Fixed  bool   `json:"fixed,omitempty"`
}

// head returns the index of the axis of attention heads. It precedes the token axis in
// [batch,heads,tokens,size] and follows it in [batch,tokens,heads,size].
func (c cached) head() int {
	if c.Axis-1 != c.Batch {
		return c.Axis - 1
	}
	return c.Axis + 1
}

// shape says which outputs are caches, and which are logits, in a run with this layout and the
// settings s.
func (l *layout) shape(s *settings) shape {
	var n shape
	for _, c := range l.caches {
		n.Caches = append(n.Caches, c.cached)
	}
	n.Logits = []string{l.logits}
	if s.TopK > 0 {
		n.Logits = []string{l.logits + ".top_values", l.logits + ".top_tokens"}
	}
	return n
}

// shapeOf reads the shape from the note that this package adds to its runs. ok is false if the run
// has no such note.
func shapeOf(run *backends.Run) (n shape, ok bool, err error) {
	if run == nil {
		return n, false, nil
	}
	text, ok := run.Notes()[noteName]
	if !ok {
		return n, false, nil
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, false, fmt.Errorf("decode: the entry %q in the run's notes is invalid: %w", noteName,
			err)
	}
	for _, c := range n.Caches {
		if c.Axis < 0 || c.Batch < 0 {
			return n, false, fmt.Errorf("decode: the entry %q in the run's notes is invalid: output %q "+
				"has axes %d and %d; expected 0 or more", noteName, c.Output, c.Axis, c.Batch)
		}
	}
	return n, true, nil
}
