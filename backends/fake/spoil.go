package fake

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// spoiler is a change to one element of an output. Encoded as JSON, it is part of the text from
// which another process recreates the engine.
type spoiler struct {
	Output string          `json:"output"`
	Index  int             `json:"index,omitempty"`
	Value  jsonfloat.Float `json:"value"`
}

// Set sets one element of the named output to value; index is the element's position in the
// flattened tensor. The output must have that element, and a floating-point type of at least 16
// bits.
func Set(output string, index int, value float64) Option {
	return option.New(option.Call("fake.Set", output, index, decimal(value)),
		func(s *settings) error {
			s.Spoil = append(s.Spoil, spoiler{output, index, jsonfloat.Float(value)})
			return nil
		})
}

// NaN sets the first element of the named output to NaN.
func NaN(output string) Option { return Set(output, 0, math.NaN()) }

// decimal formats a float64 as Go source.
func decimal(v float64) option.Argument {
	code := strconv.FormatFloat(v, 'g', -1, 64)
	switch {
	case math.IsNaN(v):
		code = "math.NaN()"
	case math.IsInf(v, 1):
		code = "math.Inf(1)"
	case math.IsInf(v, -1):
		code = "math.Inf(-1)"
	case v == 0 && math.Signbit(v):
		code = "math.Copysign(0, -1)"
	}
	return option.Argument{Text: code, Code: code}
}

// spoil returns a copy of the outputs with the spoiler's change. It returns an error if the output
// or the element is missing: a spec would otherwise pass without the change that it asks for.
func (p spoiler) spoil(outputs *tensor.Set) (*tensor.Set, error) {
	t, ok := outputs.Get(p.Output)
	if !ok {
		return nil, fmt.Errorf("the fake has no output %q to change, only %v", p.Output,
			outputs.Names())
	}
	elem := t.ElementType()
	if p.Index < 0 || p.Index >= t.Len() || !slices.Contains(storable, elem) {
		return nil, fmt.Errorf("output %q: cannot store %v in element %d of %v%v", p.Output,
			float64(p.Value), p.Index, elem, t.Shape())
	}
	values := t.Float64s()
	values[p.Index] = float64(p.Value)
	changed, err := sets.Pack(elem, t.Shape(), values)
	if err != nil {
		return nil, fmt.Errorf("output %q: %w", p.Output, err)
	}
	return sets.Map(outputs, func(name string, own *tensor.Tensor) (*tensor.Tensor, error) {
		if name == p.Output {
			return changed, nil
		}
		return own, nil
	})
}

// storable lists the element types of the outputs that [Set] can change.
var storable = []tensor.ElementType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16}
