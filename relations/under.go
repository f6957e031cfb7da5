package relations

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Transform is a change of the inputs, together with its expected effect on the outputs.
type Transform struct {
	// Name describes the transform: "scaled by 2".
	Name string
	// Inputs returns changed inputs. It must not modify its argument.
	Inputs func(inputs *tensor.Set) (*tensor.Set, error)
	// Outputs computes the expected outputs from the original outputs. If it is nil, the outputs must
	// not change.
	Outputs func(outputs *tensor.Set) (*tensor.Set, error)
}

// Scaled returns a transform that multiplies all float inputs by a factor, and expects all float
// outputs to be multiplied by it. Use it for models whose outputs are proportional to their inputs,
// such as linear models without biases. If the factor is a power of two, scaling itself adds no
// rounding error.
func Scaled(factor float64) Transform {
	scale := func(set *tensor.Set) (*tensor.Set, error) { return scaled(set, nil, factor) }
	return Transform{Name: fmt.Sprintf("scaled by %g", factor), Inputs: scale, Outputs: scale}
}

// Under requires that the outputs change as t.Outputs describes if the inputs change as t.Inputs
// describes.
func Under(t Transform) Relation {
	return Relation{name: "under",
		text:  "for inputs " + t.Name + ", the outputs change as the transform predicts",
		check: func(c *checker) error { return c.under(t) }}
}

func (c *checker) under(t Transform) error {
	switch {
	case t.Inputs == nil:
		return errors.New("the transform has no Inputs function")
	case t.Name == "":
		return errors.New("the transform has no Name")
	}
	for _, set := range c.sets {
		changed, err := t.Inputs(set)
		if err != nil {
			return fmt.Errorf("%s: inputs: %w", t.Name, err)
		}
		if changed == nil || sameInputs(changed, set, nil) {
			return fmt.Errorf("%s: the transform does not change the inputs, so nothing was checked",
				t.Name)
		}
		before, err := c.runIn(c.subject.Engine, set)
		if err != nil {
			return err
		}
		after, err := c.runIn(c.subject.Engine, changed)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if t.Outputs != nil {
			if before.outputs, err = t.Outputs(before.outputs); err != nil {
				return fmt.Errorf("%s: outputs: %w", t.Name, err)
			}
		}
		if err := c.same(after.outputs, before, "inputs "+t.Name); err != nil {
			return err
		}
	}
	return nil
}
