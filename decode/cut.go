package decode

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Cut returns a decoder's run without the first tokens of each sequence; drop is the number of
// tokens to remove. If sequence is −1, Cut keeps all sequences, otherwise only the one with that
// index. Outputs of the encoder keep all positions. If the run is not a decoder's, the error is
// [ErrNoDecoder].
func Cut(run *backends.Run, sequence, drop int) (*backends.Run, error) {
	n, ok, err := shapeOf(run)
	if err == nil && !ok {
		err = ErrNoDecoder
	}
	if err != nil {
		return nil, err
	}
	places := map[string]place{}
	fixed, stepped := n.places(run.Outputs()[0])
	for _, at := range append(fixed, stepped...) {
		places[at.Output] = at
	}
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		return sets.Map(outputs, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
			at, known := places[name]
			if !known {
				return nil, nil
			}
			return at.cut(t, sequence, drop)
		})
	})
}

// cut applies [Cut] to one output.
func (at place) cut(t *tensor.Tensor, sequence, drop int) (*tensor.Tensor, error) {
	shape := t.Shape()
	drop = max(0, drop-at.behind)
	if at.Batch >= len(shape) || at.Axis >= len(shape) || sequence >= shape[at.Batch] ||
		at.Axis >= 0 && drop > shape[at.Axis] {
		return nil, fmt.Errorf("shape %v lacks sequence %d or has fewer than %d tokens", shape,
			sequence, drop)
	}
	var err error
	if sequence >= 0 {
		t, err = rows.Take(t, at.Batch, sequence, 1)
	}
	if err == nil && at.Axis >= 0 && drop > 0 {
		t, err = rows.Take(t, at.Axis, drop, shape[at.Axis]-drop)
	}
	return t, err
}

// Keys returns the outputs of a decoder's run that may contain the keys of a cache. In models with
// rotary position embeddings, keys depend on the absolute positions of their tokens.
func Keys(run *backends.Run) (outputs []string, err error) {
	n, _, err := shapeOf(run)
	for _, c := range n.Caches {
		if !c.Fixed && c.Part != "value" {
			outputs = append(outputs, c.Output)
		}
	}
	return outputs, err
}

// States maps each state output of a run of [Stream] to the input that it becomes in the next
// frame. The map is empty for runs of other engines.
func States(run *backends.Run) (map[string]string, error) {
	n, _, err := shapeOf(run)
	all := map[string]string{}
	for _, s := range n.States {
		all[s.Output] = s.Input
	}
	return all, err
}
