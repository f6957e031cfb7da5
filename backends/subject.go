package backends

import (
	"errors"
	"fmt"
	"iter"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Subject is what a run was made of, so that the run can be repeated: whatever looks further into a
// run, such as locating a divergence, needs nothing else. It holds no open handle, and only the
// recipe and the checksum of the inputs.
type Subject struct {
	// Engine ran the model; nil for a run that was read from a file.
	Engine Engine
	// Model ran; nil for a run that was read from a file.
	Model fixtures.Declaration
	// Inputs is what it ran on.
	Inputs fixtures.Inputs
	// InputsSHA256 is the checksum of the inputs as they were drawn ([Digest]); "" where it is not
	// known.
	InputsSHA256 string
}

// GomegaString is what Gomega prints for a subject, in place of its fields: model, engine, inputs.
func (s Subject) GomegaString() string {
	model, engine := "no model", "no engine"
	if s.Model != nil {
		model = s.Model.Name()
	}
	if s.Engine != nil {
		engine = s.Engine.String()
	}
	return fmt.Sprintf("%s in %s on %s", model, engine, s.Inputs.Origin().Text)
}

// Repeatable returns nil if the subject can be run again, or an error that says what is missing.
func (s Subject) Repeatable() error {
	switch {
	case s.Engine == nil:
		return errors.New("it was read from a file, so no engine can run it again: " +
			"run the model in the spec")
	case s.Model == nil:
		return errors.New("its model is not known, so it cannot be run again")
	}
	return nil
}

// Redrawn is the inputs for whatever runs or saves them next. Inputs that differ from those of the
// run end with an error, because findings on them say nothing about the run.
func (s Subject) Redrawn() fixtures.Inputs {
	origin := s.Inputs.Origin().Text
	return fixtures.Repeatable(origin, func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			digest := NewDigest()
			for set, err := range s.Inputs.All() {
				if err != nil {
					yield(nil, fmt.Errorf("inputs: %w", err))
					return
				}
				digest.Add(set)
				if !yield(set, nil) {
					return
				}
			}
			if sum := digest.Sum(); s.InputsSHA256 != "" && sum != s.InputsSHA256 {
				yield(nil, fmt.Errorf("the inputs (%s) differ when they are drawn again: sha256 %.12s, "+
					"and %.12s in the run; give inputs that do not change", origin, sum, s.InputsSHA256))
			}
		}
	})
}

// Draw is the sets of [Subject.Redrawn].
func (s Subject) Draw() ([]*tensor.Set, error) {
	var sets []*tensor.Set
	for set, err := range s.Redrawn().All() {
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, ErrNoInputs
	}
	return sets, nil
}
