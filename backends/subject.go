package backends

import (
	"errors"
	"fmt"
	"iter"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Subject contains everything needed to repeat a run, for example to locate a divergence in it. It
// has no open handles. Instead of the inputs' values, it contains the function that draws them, and
// a checksum.
type Subject struct {
	// Engine is the engine that ran the model, or nil for a run that was read from a file.
	Engine Engine
	// Model is the model that was run, or nil for a run that was read from a file.
	Model fixtures.Declaration
	// Inputs are the inputs on which the model ran.
	Inputs fixtures.Inputs
	// InputsSHA256 is the checksum of the inputs as they were drawn ([Digest]); "" if unknown.
	InputsSHA256 string
}

// GomegaString returns the text that Gomega prints for a subject instead of its fields: the names
// of the model and the engine, and the origin of the inputs.
func (s Subject) GomegaString() string {
	model, engine := "no model", "no engine"
	if s.Model != nil {
		model = s.Model.Name()
	}
	if s.Engine != nil {
		engine = s.Engine.String()
	}
	return names.Line(fmt.Sprintf("%s in %s on %s", model, engine, s.Inputs.Origin().Text))
}

// Repeatable returns nil if the subject can be run again, or an error that says what is missing.
func (s Subject) Repeatable() error {
	switch {
	case s.Engine == nil:
		return errors.New("the run was read from a file and has no engine that could repeat it; run " +
			"the model in the spec instead")
	case s.Model == nil:
		return errors.New("the run's model is unknown, so the run cannot be repeated")
	}
	return nil
}

// Redrawn returns the run's inputs, drawn again, for follow-up runs or for saving. If the values
// have changed since the run, iteration ends with an error, because findings on other inputs say
// nothing about the run.
func (s Subject) Redrawn() fixtures.Inputs {
	origin := s.Inputs.Origin().Text
	return fixtures.Repeatable(origin, func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			digest := inputsum.New()
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
				yield(nil, fmt.Errorf("the inputs (%s) changed since the run: sha256 %.12s, but %.12s "+
					"in the run; use inputs that are the same each time they are drawn", origin, sum,
					s.InputsSHA256))
			}
		}
	})
}

// Draw draws all sets of the run's inputs again; see [Subject.Redrawn].
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
