package tensor

import (
	"fmt"

	"github.com/x448/float16"
)

// Convert returns the tensor with its values rounded to float16, bfloat16, float32 or float64, to
// nearest, ties to even. For float16 and bfloat16, values are rounded to float32 first. A value
// beyond the type's range becomes an infinity. If t already has that type, Convert returns t. Other
// types are an error.
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
			return float16.Fromfloat32(float32(v))
		}))
	case BFloat16:
		return New(t.shape, rounded(values, func(v float64) BF16 {
			return BF16FromFloat32(float32(v))
		}))
	}
	return nil, fmt.Errorf("tensor: %v cannot be converted to %v", t.ElementType(), elem)
}

func rounded[T Native](values []float64, round func(float64) T) []T {
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = round(v)
	}
	return list
}
