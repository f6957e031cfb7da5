package relations

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Transform is a change of the inputs, and what it must do to the outputs.
type Transform struct {
	// Name says what it does: "scaled by 2".
	Name string
	// Inputs changes inputs. It must not write to what it is given.
	Inputs func(inputs *tensor.Set) (*tensor.Set, error)
	// Outputs changes the outputs of the inputs as they were; nil leaves them as they are.
	Outputs func(outputs *tensor.Set) (*tensor.Set, error)
}

// Scaled is the transform of a model that is linear, or that only multiplies and rectifies: every
// float of the inputs and of the outputs times a factor. A power of two is exact.
func Scaled(factor float64) Transform {
	scale := func(set *tensor.Set) (*tensor.Set, error) { return scaled(set, nil, factor) }
	return Transform{Name: fmt.Sprintf("scaled by %g", factor), Inputs: scale, Outputs: scale}
}

// Under is the relation that transformed inputs give the outputs transformed alike.
func Under(t Transform) Relation {
	r := Relation{name: "under", text: "inputs " + t.Name + " give the outputs transformed alike",
		check: func(c *checker) error { return c.under(t) }}
	switch {
	case t.Inputs == nil:
		r.wrong = errors.New("the transform has no Inputs, so nothing would change")
	case t.Name == "":
		r.wrong = errors.New("the transform has no Name to be called by")
	}
	return r
}

// under checks [Under].
func (c *checker) under(t Transform) error {
	for _, set := range c.sets {
		changed, err := t.Inputs(set)
		if err != nil {
			return fmt.Errorf("%s: inputs: %w", t.Name, err)
		}
		if changed == nil || sameSet(changed, set) {
			return fmt.Errorf("%s: the transform leaves the inputs as they are, so nothing was checked",
				t.Name)
		}
		before, err := c.fresh(set)
		if err != nil {
			return err
		}
		after, err := c.fresh(changed)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if t.Outputs != nil {
			if before.outputs, err = t.Outputs(before.outputs); err != nil {
				return fmt.Errorf("%s: outputs: %w", t.Name, err)
			}
		}
		d, err := c.judge.sets(after.outputs, before)
		if d != nil {
			return c.breaks(newBreach(d, "inputs "+t.Name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sameSet reports whether two sets hold the same tensors.
func sameSet(a, b *tensor.Set) bool {
	if a.Len() != b.Len() {
		return false
	}
	for name, t := range a.All() {
		o, ok := b.Get(name)
		if !ok || o.ElementType() != t.ElementType() || !o.Shape().Equal(t.Shape()) || !equal(o, t) {
			return false
		}
	}
	return true
}
