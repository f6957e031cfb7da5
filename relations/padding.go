package relations

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// paddings lists the amounts of padding to add, in positions.
var paddings = []int{1, 7}

// Padding requires that masked padding has no effect: if inputs are extended along an axis and the
// mask is 0 in the extension, the outputs at the original positions must stay the same. The
// parameter mask names the mask input, and axis is the axis of that input to extend. Every other
// input with the same symbolic dimension at this axis is extended, too: in some runs with zeros, in
// other runs with copies of its own values.
func Padding(axis int, mask string) Relation {
	return Relation{name: "padding", text: "masked padding changes nothing",
		check: func(c *checker) error { return c.padding(axis, mask) }}
}

// paddedAxes returns the inputs to extend, each with its axis. They are the mask and every input
// that has the same dimension along this axis.
func (c *checker) paddedAxes(axis int, mask string) (axes, error) {
	inputs, err := c.subject.Model.Inputs()
	if err != nil {
		return axes{}, err
	}
	x, err := givenAxes(inputs, c.sets[0], map[string]int{mask: axis})
	if err != nil {
		return x, err
	}
	length := func(name string) int { return countOf(c.sets[0], map[string]int{name: axis}) }
	for _, v := range inputs {
		if axis < len(v.Dims) && v.Dims[axis].Dynamic() && v.Dims[axis].Symbol == x.symbol &&
			length(v.Name) == length(mask) {
			x.inputs[v.Name] = axis
		}
	}
	if len(x.inputs) < 2 {
		return x, fmt.Errorf("no other input has the same dynamic dimension as the mask %q at axis "+
			"%d, so there is nothing to pad", mask, axis)
	}
	return x, nil
}

func (c *checker) padding(axis int, mask string) error {
	switch {
	case axis < 0:
		return fmt.Errorf("axis %d is negative; axes are numbered from 0", axis)
	case mask == "":
		return errors.New("no mask given; name the mask input")
	}
	x, err := c.paddedAxes(axis, mask)
	if err != nil {
		return err
	}
	c.note("padded along %v, by %d and %d positions", x, paddings[0], paddings[1])
	for _, set := range c.sets {
		if err := c.pad(x, axis, mask, set); err != nil {
			return err
		}
	}
	return nil
}

// pad compares the padded runs of one iteration with the original run.
func (c *checker) pad(x axes, axis int, mask string, set *tensor.Set) error {
	n := countOf(set, map[string]int{mask: axis})
	if n < 1 {
		return fmt.Errorf("the mask has no positions along axis %d; pass non-empty inputs", axis)
	}
	fills := []string{"zeros", "other values"}
	var longer []*tensor.Set
	for _, by := range paddings {
		for _, with := range fills {
			padded, err := extended(set, x.inputs, mask, by, with == "zeros")
			if err != nil {
				return err
			}
			longer = append(longer, padded)
		}
	}
	if err := c.open(longer...); err != nil {
		return err
	}
	base, err := c.run(set)
	if err != nil {
		return err
	}
	runs := make([]reference, len(longer))
	for i, padded := range longer {
		if runs[i], err = c.run(padded); err != nil {
			return fmt.Errorf("padded with %d positions: %w", paddings[i/2], err)
		}
	}
	var unclear error
	for i, run := range runs {
		by := paddings[i/2]
		kept, err := sets.Map(base.outputs, func(name string, e *tensor.Tensor) (*tensor.Tensor, error) {
			t, _ := run.outputs.Get(name)
			twin, _ := runs[i^1].outputs.Get(name)
			if t == nil || twin == nil || !twin.Shape().Equal(t.Shape()) {
				return t, nil // the shape depends on values in the padding
			}
			whole := t.Shape()
			for at := range min(len(whole), len(e.Shape())) {
				if e.Shape()[at] == n && whole[at] == n+by {
					if t, err = rows.Take(t, at, 0, n); err != nil {
						return nil, err
					}
				}
			}
			if !t.Shape().Equal(e.Shape()) {
				unclear = cmp.Or(unclear, fmt.Errorf("output %q has the shape %v for %d positions, but %v for "+
					"%d, so it is unclear which elements belong to the padding; leave it out of the model "+
					"with modelparity surgeon extract --outputs", name, e.Shape(), n, whole, n+by))
				return e, nil
			}
			return t, nil
		})
		if err != nil {
			return err
		}
		how := fmt.Sprintf("padded from %d to %d positions with %s", n, n+by, fills[i%2])
		if err := c.same(kept, base, how); err != nil {
			return err
		}
	}
	return unclear
}

// extended lengthens the inputs by the given number of positions. The new positions are zeros or
// repeat the first positions; in the mask, they are always 0.
func extended(set *tensor.Set, along map[string]int, mask string, by int, zeros bool) (
	*tensor.Set, error) {
	return sets.Map(set, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		axis, long := along[name]
		if !long {
			return t, nil
		}
		n := t.Shape()[axis]
		source := t
		if zeros || name == mask {
			var err error
			source, err = tensor.FromBytes(t.ElementType(), t.Shape(), make([]byte, len(t.Bytes())))
			if err != nil {
				return nil, err
			}
		}
		picks := make([]rows.Pick, n+by)
		for i := range picks {
			picks[i] = rows.Pick{Of: t, At: i % n}
			if i >= n {
				picks[i].Of = source
			}
		}
		return rows.Join(axis, picks)
	})
}
