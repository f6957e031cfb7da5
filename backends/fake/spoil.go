package fake

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/tensor"
)

// spoiler describes a change to the outputs of one iteration. It can be written as JSON.
type spoiler struct {
	Does   string `json:"does"`             // which change to apply; see spoil
	Output string `json:"output,omitempty"` // "" for all outputs
	Index  int    `json:"index,omitempty"`
	Value  string `json:"value,omitempty"` // formatted by strconv, because JSON has no NaN
	Shape  []int  `json:"shape,omitempty"`
}

// put appends the spoiler to the settings. Spoilers apply in the order in which they were appended.
func (p spoiler) put(s *settings) error {
	s.Spoil = append(s.Spoil, p)
	return nil
}

func number64(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Noise adds to each element of every floating-point output a random value, uniformly distributed
// in [-amplitude, amplitude). [Seed] seeds the random numbers. The sum is rounded to the output's
// element type. Outputs of other types stay unchanged.
func Noise(amplitude float64) Option {
	return option.New(option.Call("fake.Noise", decimal(amplitude)),
		spoiler{Does: "noise", Value: number64(amplitude)}.put)
}

// Set sets one element of the named output to value; index is the element's position in the
// flattened tensor. The output must have that element, and a floating-point type of at least 16
// bits.
func Set(output string, index int, value float64) Option {
	return option.New(option.Call("fake.Set", output, index, decimal(value)),
		spoiler{Does: "set", Output: output, Index: index, Value: number64(value)}.put)
}

// NaN sets the first element of the named output to NaN.
func NaN(output string) Option { return Set(output, 0, math.NaN()) }

// Reshape gives the named output another shape with the same number of elements.
func Reshape(output string, shape ...int) Option {
	return option.New(option.Call("fake.Reshape", option.Args(shape, output)...),
		spoiler{Does: "reshape", Output: output, Shape: shape}.put)
}

// spoil applies the spoiler to the outputs. It returns an error if the output that the spoiler
// names is missing, because a spoiler without effect could only hide a mistake.
func (p spoiler) spoil(outputs *tensor.Set, random *rand.Rand) (*tensor.Set, error) {
	if _, ok := outputs.Get(p.Output); p.Output != "" && !ok {
		return nil, fmt.Errorf("the fake has no output %q to change, only %v", p.Output,
			outputs.Names())
	}
	value := 0.
	if p.Value != "" {
		var err error
		if value, err = strconv.ParseFloat(p.Value, 64); err != nil {
			return nil, err
		}
	}
	entries := all(outputs)
	for i, entry := range entries {
		if p.Output != "" && entry.Name != p.Output {
			continue
		}
		var err error
		switch t := entry.Tensor; p.Does {
		case "noise":
			entries[i].Tensor, err = changed(t, func(_ int, v float64) float64 {
				return v + float64(value*(float64(2*float64(random.Float64()))-1))
			})
		case "set":
			entries[i].Tensor, err = p.set(t, value)
		default:
			entries[i].Tensor, err = t.Reshape(p.Shape)
		}
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", entry.Name, err)
		}
	}
	return tensor.NewSet(entries...)
}

// set returns a copy of t with the element at the spoiler's index set to value.
func (p spoiler) set(t *tensor.Tensor, value float64) (*tensor.Tensor, error) {
	if p.Index < 0 || p.Index >= t.Len() || !storable(t.ElementType()) {
		return nil, fmt.Errorf("cannot store %v in element %d of %v%v",
			value, p.Index, t.ElementType(), t.Shape())
	}
	return changed(t, func(i int, v float64) float64 {
		if i == p.Index {
			return value
		}
		return v
	})
}

func all(set *tensor.Set) []tensor.Entry {
	var entries []tensor.Entry
	for name, t := range set.All() {
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return entries
}

// changed returns a copy of t with f applied to every element, or t itself if its type is not
// [storable].
func changed(t *tensor.Tensor, f func(int, float64) float64) (*tensor.Tensor, error) {
	if !storable(t.ElementType()) {
		return t, nil
	}
	values := t.Float64s()
	for i, v := range values {
		values[i] = f(i, v)
	}
	wide, err := tensor.New(t.Shape(), values)
	if err != nil {
		return nil, err
	}
	return wide.Convert(t.ElementType())
}

// storable reports whether [changed] supports elements of type e.
func storable(e tensor.ElementType) bool {
	return e == tensor.Float64 || e == tensor.Float32 || e == tensor.Float16 ||
		e == tensor.BFloat16
}
