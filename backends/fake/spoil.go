package fake

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/tensor"
)

// spoiler describes a change to the outputs of one iteration. All its fields except the tensor can
// be written as JSON.
type spoiler struct {
	Does   string `json:"does"`             // which change to apply; see spoil
	Output string `json:"output,omitempty"` // "" for all outputs
	Name   string `json:"name,omitempty"`
	Index  int    `json:"index,omitempty"`
	Value  string `json:"value,omitempty"` // formatted by strconv, because JSON has no NaN
	Shape  []int  `json:"shape,omitempty"`
	with   *tensor.Tensor
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

// Replace returns another tensor as the named output, for example one with a different type or
// shape.
func Replace(output string, with *tensor.Tensor) Option {
	return option.LeftOut("fake.Replace", "a tensor",
		spoiler{Does: "replace", Output: output, with: with}.put)
}

// Rename returns the named output under another name.
func Rename(output, name string) Option {
	return option.New(option.Call("fake.Rename", output, name),
		spoiler{Does: "rename", Output: output, Name: name}.put)
}

// Lose leaves out the named output.
func Lose(output string) Option {
	return option.New(option.Call("fake.Lose", output), spoiler{Does: "lose", Output: output}.put)
}

// Extra adds an output after the others.
func Extra(name string, t *tensor.Tensor) Option {
	return option.LeftOut("fake.Extra", "a tensor", spoiler{Does: "extra", Name: name, with: t}.put)
}

// spoil applies the spoiler to the outputs. It returns an error if the output that the spoiler
// names is missing, because a spoiler without effect could only hide a mistake.
func (p spoiler) spoil(outputs *tensor.Set, random *rand.Rand) (*tensor.Set, error) {
	if p.Output != "" {
		if _, err := find(outputs, p.Output); err != nil {
			return nil, err
		}
	}
	switch p.Does {
	case "noise", "set":
		value, err := strconv.ParseFloat(p.Value, 64)
		if err != nil {
			return nil, err
		}
		return p.each(outputs, func(t *tensor.Tensor) (*tensor.Tensor, error) {
			if p.Does == "set" {
				return p.set(t, value)
			}
			return changed(t, func(_ int, v float64) float64 {
				return v + float64(value*(float64(2*float64(random.Float64()))-1))
			})
		})
	case "reshape":
		return p.each(outputs, func(t *tensor.Tensor) (*tensor.Tensor, error) {
			return t.Reshape(p.Shape)
		})
	case "replace":
		return p.each(outputs, func(*tensor.Tensor) (*tensor.Tensor, error) { return p.with, nil })
	case "extra":
		return tensor.NewSet(append(all(outputs), tensor.Entry{Name: p.Name, Tensor: p.with})...)
	}
	var entries []tensor.Entry
	for _, entry := range all(outputs) {
		if entry.Name == p.Output {
			if p.Does == "lose" {
				continue
			}
			entry.Name = p.Name
		}
		entries = append(entries, entry)
	}
	return tensor.NewSet(entries...)
}

// set returns a copy of t with the element at the spoiler's index set to value.
func (p spoiler) set(t *tensor.Tensor, value float64) (*tensor.Tensor, error) {
	if p.Index < 0 || p.Index >= t.Len() || !storable(t.ElementType()) {
		return nil, fmt.Errorf("cannot put %v at element %d of %v%v",
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

func find(outputs *tensor.Set, name string) (*tensor.Tensor, error) {
	t, ok := outputs.Get(name)
	if !ok {
		return nil, fmt.Errorf("the fake has no output %q to spoil, only %v",
			name, outputs.Names())
	}
	return t, nil
}

// each applies f to the spoiler's output, or to every output if the spoiler names none.
func (p spoiler) each(outputs *tensor.Set, f func(*tensor.Tensor) (*tensor.Tensor, error)) (
	*tensor.Set, error) {
	entries := all(outputs)
	for i, entry := range entries {
		if p.Output != "" && entry.Name != p.Output {
			continue
		}
		var err error
		if entries[i].Tensor, err = f(entry.Tensor); err != nil {
			return nil, fmt.Errorf("output %q: %w", entry.Name, err)
		}
	}
	return tensor.NewSet(entries...)
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
