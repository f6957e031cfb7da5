package trt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// ProfileRange is the entry for one input in an optimization profile: the smallest, the most likely
// and the largest shape that the engine must support. For a shape input, whose elements are the
// dimensions of a shape, the entry contains the input's values instead of its shapes.
type ProfileRange struct {
	Input  string  `json:"input"`
	Values bool    `json:"values,omitempty"` // Min, Opt and Max are values, not dimensions
	Min    []int64 `json:"min"`
	Opt    []int64 `json:"opt"`
	Max    []int64 `json:"max"`
}

// Range returns the entry of an input in a [Profile]: its smallest, most likely and largest shape.
func Range(input string, lowest, likely, highest tensor.Shape) ProfileRange {
	return ProfileRange{Input: input, Min: wide(lowest), Opt: wide(likely), Max: wide(highest)}
}

// Values returns the entry of a shape input in a [Profile]: its smallest, most likely and largest
// values.
func Values(input string, lowest, likely, highest []int64) ProfileRange {
	return ProfileRange{Input: input, Values: true, Min: lowest, Opt: likely, Max: highest}
}

// braced returns numbers as the elements of a Go literal: {1, 8}.
func braced(values []int64) string {
	return "{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(values), "[]"), " ", ", ") + "}"
}

// checkRanges returns an error for ranges that no profile can have.
func checkRanges(ranges []ProfileRange) error {
	for _, r := range ranges {
		fit := len(r.Min) == len(r.Opt) && len(r.Opt) == len(r.Max)
		for i := 0; fit && i < len(r.Min); i++ {
			fit = r.Min[i] <= r.Opt[i] && r.Opt[i] <= r.Max[i]
		}
		if !fit {
			return fmt.Errorf("input %q: min %v, opt %v and max %v must have equally many dimensions, "+
				"and none may decrease from min to max", r.Input, r.Min, r.Opt, r.Max)
		}
	}
	return nil
}

// sortedRanges returns the ranges in a fixed order.
func sortedRanges(ranges []ProfileRange) []ProfileRange {
	return slices.SortedStableFunc(slices.Values(ranges), func(a, b ProfileRange) int {
		return strings.Compare(a.Input, b.Input)
	})
}

// span returns, for each input, the range of its shapes over all iterations. For inputs that might
// be shape inputs, which are integer tensors with at most one dimension, span also returns the
// range of the values, because only the parsed network shows which inputs are shape inputs.
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
			return fmt.Errorf("input %q has %d dimensions in one iteration and %d in a later one",
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

// derived derives a model's profile from inputs: the shapes of dynamic inputs, and the values of
// inputs that might contain shapes. The profile of a static model is empty, because its engine must
// not depend on the inputs. whole contains the ranges of the model from which a part was cut; those
// ranges take precedence over ranges from inputs.
func derived(model *loaders.Model, inputs fixtures.Inputs, whole []ProfileRange) (
	[][]ProfileRange, error) {
	declared, err := model.Inputs()
	if err != nil || !slices.ContainsFunc(declared, profiled) {
		return nil, err
	}
	all, err := span(inputs)
	if err != nil {
		return nil, fmt.Errorf("deriving an optimization profile from the inputs: %w", err)
	}
	var ranges []ProfileRange
	for _, r := range all {
		if !r.Values && !slices.ContainsFunc(declared, func(v loaders.Value) bool {
			return v.Name == r.Input && dynamic(v)
		}) {
			continue
		}
		for _, of := range whole {
			if of.Input == r.Input && of.Values == r.Values {
				r = of
			}
		}
		ranges = append(ranges, r)
	}
	if len(ranges) == 0 {
		return nil, nil
	}
	return [][]ProfileRange{ranges}, nil
}

// profiled reports whether an input may need a range in a profile.
func profiled(v loaders.Value) bool {
	return dynamic(v) || len(v.Dims) <= 1 && (v.Type == tensor.Int64 || v.Type == tensor.Int32)
}

func dynamic(v loaders.Value) bool {
	return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
}

// maxShapeValues is the largest number of values in a shape input: a shape has at most 8
// dimensions, and some operators need two values for each.
const maxShapeValues = 16

// shapeValues returns the values of a tensor and reports whether they could be a shape.
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

// text returns a range in the syntax of Polygraphy's flags: x:[1,8]:[2,8]:[16,8].
func (r ProfileRange) text() string {
	text := r.Input
	for _, shape := range [][]int64{r.Min, r.Opt, r.Max} {
		text += ":" + tensor.Shape(narrow(shape)).String()
	}
	return text
}

// argument returns a range as an option's argument. In Go source, it is a call such as
// trt.Range("x", []int{1, 8}, []int{2, 8}, []int{16, 8}).
func (r ProfileRange) argument() option.Argument {
	call, kind := "trt.Range", "[]int"
	if r.Values {
		call, kind = "trt.Values", "[]int64"
	}
	parts := []string{strconv.Quote(r.Input)}
	for _, values := range [][]int64{r.Min, r.Opt, r.Max} {
		parts = append(parts, kind+braced(values))
	}
	return option.Argument{Text: r.text(), Code: call + "(" + strings.Join(parts, ", ") + ")"}
}
