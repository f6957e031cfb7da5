package fake

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// Noise adds to each element of every floating-point output a value drawn uniformly from
// [-amplitude, amplitude), by the generator that [Seed] seeds. The result rounds to the output's
// element type. Outputs of other types stay as they are.
func Noise(amplitude float64) Option {
	return spoils(func(outputs *tensor.Set, random *rand.Rand) (*tensor.Set, error) {
		return each(outputs, func(_ string, t *tensor.Tensor) (*tensor.Tensor, error) {
			return changed(t, func(_ int, v float64) float64 {
				return v + amplitude*(2*random.Float64()-1)
			})
		})
	})
}

// Set puts value at the flat position index of the named output, such as math.NaN() at 0. The
// output must be of a floating-point type of 16 bits or more, and have that element.
func Set(output string, index int, value float64) Option {
	return one(output, func(t *tensor.Tensor) (*tensor.Tensor, error) {
		if index < 0 || index >= t.Len() || !storable(t.ElementType()) {
			return nil, fmt.Errorf("cannot put %v at %d of %v%v",
				value, index, t.ElementType(), t.Shape())
		}
		return changed(t, func(i int, v float64) float64 {
			if i == index {
				return value
			}
			return v
		})
	})
}

// NaN puts a NaN at the first element of the named output.
func NaN(output string) Option { return Set(output, 0, math.NaN()) }

// Reshape gives the named output another shape of as many elements.
func Reshape(output string, shape ...int) Option {
	return one(output, func(t *tensor.Tensor) (*tensor.Tensor, error) { return t.Reshape(shape) })
}

// Replace gives another tensor in place of the named output: of another type, or another shape.
func Replace(output string, with *tensor.Tensor) Option {
	return one(output, func(*tensor.Tensor) (*tensor.Tensor, error) { return with, nil })
}

// Rename gives the named output under another name.
func Rename(output, name string) Option {
	return spoils(func(outputs *tensor.Set, _ *rand.Rand) (*tensor.Set, error) {
		if _, err := find(outputs, output); err != nil {
			return nil, err
		}
		var entries []tensor.Entry
		for n, t := range outputs.All() {
			if n == output {
				n = name
			}
			entries = append(entries, tensor.Entry{Name: n, Tensor: t})
		}
		return tensor.NewSet(entries...)
	})
}

// Lose leaves the named output out.
func Lose(output string) Option {
	return spoils(func(outputs *tensor.Set, _ *rand.Rand) (*tensor.Set, error) {
		if _, err := find(outputs, output); err != nil {
			return nil, err
		}
		var entries []tensor.Entry
		for n, t := range outputs.All() {
			if n != output {
				entries = append(entries, tensor.Entry{Name: n, Tensor: t})
			}
		}
		return tensor.NewSet(entries...)
	})
}

// Extra gives one output more, after the others.
func Extra(name string, t *tensor.Tensor) Option {
	return spoils(func(outputs *tensor.Set, _ *rand.Rand) (*tensor.Set, error) {
		var entries []tensor.Entry
		for n, t := range outputs.All() {
			entries = append(entries, tensor.Entry{Name: n, Tensor: t})
		}
		return tensor.NewSet(append(entries, tensor.Entry{Name: name, Tensor: t})...)
	})
}

func spoils(s spoiler) Option { return Option{func(b *Backend) { b.spoil = append(b.spoil, s) }} }

// one spoils the named output alone; that it is missing is an error, not a fake that spoils
// nothing.
func one(output string, f func(*tensor.Tensor) (*tensor.Tensor, error)) Option {
	return spoils(func(outputs *tensor.Set, _ *rand.Rand) (*tensor.Set, error) {
		if _, err := find(outputs, output); err != nil {
			return nil, err
		}
		return each(outputs, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
			if name != output {
				return t, nil
			}
			return f(t)
		})
	})
}

func find(outputs *tensor.Set, name string) (*tensor.Tensor, error) {
	t, ok := outputs.Get(name)
	if !ok {
		return nil, fmt.Errorf("the fake has no output %q to spoil, only %v",
			name, outputs.Names())
	}
	return t, nil
}

// each makes a set of what f makes of every output.
func each(outputs *tensor.Set,
	f func(string, *tensor.Tensor) (*tensor.Tensor, error)) (*tensor.Set, error) {
	var entries []tensor.Entry
	for name, t := range outputs.All() {
		spoilt, err := f(name, t)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: spoilt})
	}
	return tensor.NewSet(entries...)
}

// changed is t with every element replaced by f's, if t is of a type that [storable] names, and t
// itself otherwise.
func changed(t *tensor.Tensor, f func(int, float64) float64) (*tensor.Tensor, error) {
	switch t.ElementType() {
	case tensor.Float64:
		return stored(t, f, func(v float64) float64 { return v })
	case tensor.Float32:
		return stored(t, f, func(v float64) float32 { return float32(v) })
	case tensor.Float16:
		return stored(t, f, func(v float64) float16.Float16 {
			return float16.Fromfloat32(float32(v))
		})
	case tensor.BFloat16:
		return stored(t, f, func(v float64) tensor.BF16 {
			return tensor.BF16FromFloat32(float32(v))
		})
	}
	return t, nil
}

func stored[T tensor.Native](t *tensor.Tensor, f func(int, float64) float64,
	round func(float64) T) (*tensor.Tensor, error) {
	values := make([]T, t.Len())
	for i := range values {
		values[i] = round(f(i, t.Float64At(i)))
	}
	return tensor.New(t.Shape(), values)
}

// storable reports whether [changed] can write elements of type e.
func storable(e tensor.ElementType) bool {
	return e == tensor.Float64 || e == tensor.Float32 || e == tensor.Float16 ||
		e == tensor.BFloat16
}
