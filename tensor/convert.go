package tensor

import (
	"fmt"
	"math"

	"github.com/x448/float16"
)

// Convert returns the tensor with its values rounded to float16, bfloat16, float32 or float64, to
// nearest, ties to even. A value beyond the type's range becomes an infinity. If t already has that
// type, Convert returns t. Other types are an error.
func (t *Tensor) Convert(elem ElementType) (*Tensor, error) {
	if t.ElementType() == elem {
		return t, nil
	}
	if !t.ElementType().IsFloat() {
		return nil, fmt.Errorf("tensor: %v cannot be converted to %v", t.ElementType(), elem)
	}
	values := t.Float64s()
	switch elem {
	case Float64:
		return New(t.shape, values)
	case Float32:
		return New(t.shape, rounded(values, func(v float64) float32 { return float32(v) }))
	case Float16:
		return New(t.shape, rounded(values, func(v float64) float16.Float16 {
			return float16.Fromfloat32(oddFloat32(v))
		}))
	case BFloat16:
		return New(t.shape, rounded(values, func(v float64) BF16 {
			return BF16FromFloat32(oddFloat32(v))
		}))
	}
	return nil, fmt.Errorf("tensor: %v cannot be converted to %v", t.ElementType(), elem)
}

// oddFloat32 rounds to odd: inexact results have their last bit set. If its result is rounded
// again, to a type with at most 22 significant bits, the outcome is the same as if v had been
// rounded only once. Two roundings to nearest do not guarantee that (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", 2008).
func oddFloat32(v float64) float32 {
	f := float32(v)
	if float64(f) == v || math.IsNaN(v) {
		return f
	}
	if math.Abs(float64(f)) > math.Abs(v) {
		f = math.Float32frombits(math.Float32bits(f) - 1) // back towards zero
	}
	return math.Float32frombits(math.Float32bits(f) | 1)
}

func rounded[T Native](values []float64, round func(float64) T) []T {
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = round(v)
	}
	return list
}
