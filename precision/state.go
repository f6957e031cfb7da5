package precision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// state contains the measurements that a search saves in a file. A search that resumes from the
// file takes the same steps with the same numbers as an uninterrupted search, and so returns the
// same result.
type state struct {
	path    string
	written time.Time

	// Of identifies what is measured: the model, the inputs, the engine and the format.
	Of       string           `json:"of"`
	Measured map[int][]number `json:"measured"`
	// Judged identifies how sets of nodes are checked: the rule, the reference and the engine. If the
	// current search checks differently, it ignores the trials in the file.
	Judged string `json:"judged"`
	// Trials contains the tried sets of nodes, by form of the model and by [key].
	Trials [forms]map[string]trial `json:"trials"`
}

type number = jsonfloat.Float

// mostState limits the size of the file in bytes. seldom is the minimum time between writes.
const (
	mostState = 256 << 20
	seldom    = time.Second
)

// openState reads the file if it exists. It returns an error if the file belongs to a different
// search.
func openState(path string, w *searching) (*state, error) {
	s := &state{path: path, Measured: map[int][]number{}}
	if path == "" {
		return s, nil
	}
	var err error
	if s.Of, s.Judged, err = w.identity(); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, err
	case info.Size() > mostState:
		return nil, fmt.Errorf("%s is not the state of a search: it is too large (%d bytes, more than "+
			"%d); name another file", path, info.Size(), mostState)
	}
	data, err := regular.Read(path)
	if err != nil {
		return nil, err
	}
	var read state
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("%s is not the state of a search: %w; remove it to start over, or name "+
			"another file", path, err)
	}
	if read.Of != s.Of {
		return nil, fmt.Errorf("%s is the state of a search with a different model, inputs, engine or "+
			"format; remove it to start over, or name another file", path)
	}
	maps.Copy(s.Measured, read.Measured)
	if read.Judged == s.Judged {
		s.Trials = read.Trials
	}
	return s, nil
}

// identity returns the values that identify a search in its file: the fields Of and Judged of
// [state].
func (w *searching) identity() (of, judged string, err error) {
	model, err := w.model.SHA256()
	if err != nil {
		return "", "", err
	}
	engine := ""
	if w.Engine != nil {
		engine = w.Engine.Text()
	}
	of = fmt.Sprintf("model %s, inputs %s, engine %s, format %s", model, inputsum.Of(w.inputs),
		w.opened.engine.Text(), w.opened.format)
	judged = fmt.Sprintf("rule %+v, expected %s, engine %s", w.Rule, inputsum.Of(w.Expected), engine)
	return of, judged, nil
}

// valid reports whether a list contains a valid number for each output; count is the number of
// outputs.
func valid(list []number, count int) bool {
	return len(list) == count &&
		!slices.ContainsFunc(list, func(v number) bool { return v != v || v < 0 })
}

// known returns the measured errors of a group from the file. ok is false if the file has none.
func (w *searching) known(j int) (errors []float64, ok bool) {
	list, ok := w.state.Measured[j]
	if !ok || j != noGroup && !valid(list, len(w.names)) {
		return nil, false
	}
	return converted[float64](list), true
}

// measured records the errors that a group of nodes adds.
func (s *state) measured(j int, errors []float64) error {
	s.Measured[j] = converted[number](errors)
	return s.save(false)
}

// recorded returns the trial that the state file contains for a set of nodes in the given form of
// the model, or nil.
func (w *searching) recorded(name string, in form) *trial {
	t, ok := w.state.Trials[in][name]
	if !ok || !valid(t.Margins, len(w.names)) {
		return nil
	}
	return &t
}

// judged records a trial: whether the given form of the model passes with a set of nodes in
// float32.
func (s *state) judged(name string, in form, t *trial) error {
	if s.Trials[in] == nil {
		s.Trials[in] = map[string]trial{}
	}
	s.Trials[in][name] = *t
	return s.save(len(s.Trials[in]) <= 256) // more sets are tried only where runs are quick
}

// save writes the file atomically. Unless now is set, it writes at most once a second. So an
// interrupted search loses no more than a second of measurements.
func (s *state) save(now bool) error {
	if s.path == "" || !now && time.Since(s.written) < seldom {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	s.written = time.Now()
	return wholefile.WriteBytes(s.path, append(data, '\n'))
}

func converted[To, From ~float64](list []From) []To {
	values := make([]To, len(list))
	for i, v := range list {
		values[i] = To(v)
	}
	return values
}
