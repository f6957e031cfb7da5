package trt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// ProfileRange is what an optimization profile says of one input: the smallest, the most likely
// and the largest shape that the engine must serve. For a shape input, whose values are shapes, it
// is the values instead.
type ProfileRange struct {
	Input  string  `json:"input"`
	Values bool    `json:"values,omitempty"` // Min, Opt and Max are values, not dimensions
	Min    []int64 `json:"min"`
	Opt    []int64 `json:"opt"`
	Max    []int64 `json:"max"`
}

// Range is the shapes of an input in a [Profile]: lowest, most likely, highest.
func Range(input string, lowest, likely, highest tensor.Shape) ProfileRange {
	return ProfileRange{Input: input, Min: wide(lowest), Opt: wide(likely), Max: wide(highest)}
}

// Values is the values of a shape input in a [Profile]: lowest, most likely, highest.
func Values(input string, lowest, likely, highest []int64) ProfileRange {
	return ProfileRange{Input: input, Values: true, Min: lowest, Opt: likely, Max: highest}
}

// Profile adds an optimization profile: the shapes of every dynamic input. An engine can have
// several; [ProfileIndex] chooses the one that runs. [Run] derives a profile from its inputs where
// none is given.
func Profile(ranges ...ProfileRange) Option {
	return func(s *settings) {
		for _, r := range ranges {
			if len(r.Min) != len(r.Opt) || len(r.Opt) != len(r.Max) {
				s.fail("profile of %q: its three shapes have %d, %d and %d dimensions",
					r.Input, len(r.Min), len(r.Opt), len(r.Max))
				return
			}
			for i := range r.Min {
				if r.Min[i] > r.Opt[i] || r.Opt[i] > r.Max[i] {
					s.fail("profile of %q: %v, %v, %v do not rise", r.Input, r.Min, r.Opt, r.Max)
					return
				}
			}
		}
		s.build.Profiles = append(s.build.Profiles, ranges)
	}
}

// ProfileFrom derives the optimization profile from inputs: of every dynamic input the smallest
// and the largest size of each dimension over all iterations, and as the most likely shape that of
// the first iteration. It does nothing where [Profile] is given.
func ProfileFrom(inputs fixtures.Inputs) Option {
	return func(s *settings) {
		if len(s.build.Profiles) > 0 {
			return
		}
		ranges, err := span(inputs)
		if err != nil {
			s.fail("profile from the inputs: %w", err)
			return
		}
		s.build.Profiles, s.build.Derived = [][]ProfileRange{ranges}, true
	}
}

// span is the shapes that inputs take, and the values of those that might be shapes: integer
// tensors of at most one dimension. Which ones are is known when the network is parsed.
func span(inputs fixtures.Inputs) ([]ProfileRange, error) {
	var ranges []ProfileRange
	index := map[string]int{}
	add := func(key string, r ProfileRange) error {
		i, seen := index[key]
		if !seen {
			index[key] = len(ranges)
			ranges = append(ranges, r)
			return nil
		}
		if len(ranges[i].Min) != len(r.Min) {
			return fmt.Errorf("%q has %d dimensions in one iteration and %d in another",
				r.Input, len(ranges[i].Min), len(r.Min))
		}
		for d := range r.Min {
			ranges[i].Min[d] = min(ranges[i].Min[d], r.Min[d])
			ranges[i].Max[d] = max(ranges[i].Max[d], r.Max[d])
		}
		return nil
	}
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		for name, t := range set.All() {
			shape := t.Shape()
			if err := add(name, Range(name, shape, shape, shape)); err != nil {
				return nil, err
			}
			if values, ok := shapeValues(t); ok {
				r := Values(name, slices.Clone(values), values, slices.Clone(values))
				if err := add("values of "+name, r); err != nil {
					return nil, err
				}
			}
		}
	}
	return ranges, nil
}

// settle leaves of a derived profile what the model needs: the shapes of its dynamic inputs, and
// the values of those that might be shapes. An engine for a static model must not depend on the
// inputs that it happened to be built for.
func (b *buildSettings) settle(model *loaders.Model) error {
	if !b.Derived {
		return nil
	}
	inputs, err := model.Inputs()
	if err != nil {
		return err
	}
	b.Profiles[0] = slices.DeleteFunc(b.Profiles[0], func(r ProfileRange) bool {
		return !r.Values && !slices.ContainsFunc(inputs, func(v loaders.Value) bool {
			return v.Name == r.Input &&
				(!v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic))
		})
	})
	if len(b.Profiles[0]) == 0 {
		b.Profiles, b.Derived = nil, false
	}
	return nil
}

// maxShapeValues is how many numbers a shape input can hold: a shape has at most 8 dimensions, and
// some operators take two numbers for each.
const maxShapeValues = 16

// shapeValues is the values of a tensor that could be a shape.
func shapeValues(t *tensor.Tensor) ([]int64, bool) {
	if len(t.Shape()) > 1 || t.Len() > maxShapeValues {
		return nil, false
	}
	switch t.ElementType() {
	case tensor.Int64:
		values, err := tensor.Values[int64](t)
		return values, err == nil
	case tensor.Int32:
		values, err := tensor.Values[int32](t)
		return wide(values), err == nil
	}
	return nil, false
}

func wide[T int | int32](shape []T) []int64 {
	values := make([]int64, len(shape))
	for i, n := range shape {
		values[i] = int64(n)
	}
	return values
}

func narrow(values []int64) []int {
	shape := make([]int, len(values))
	for i, n := range values {
		shape[i] = int(n)
	}
	return shape
}

// String prints a range as Polygraphy's flags write it: x:[1,8]:[2,8]:[16,8].
func (r ProfileRange) String() string {
	var b strings.Builder
	b.WriteString(r.Input)
	for _, shape := range [][]int64{r.Min, r.Opt, r.Max} {
		b.WriteString(":" + tensor.Shape(narrow(shape)).String())
	}
	return b.String()
}
