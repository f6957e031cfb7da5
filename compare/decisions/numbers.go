package decisions

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// numbers returns the elements of a tensor as float64. It returns an error if the tensor does not
// contain numbers or if the conversion could round them; see exact.
func numbers(what string, t *tensor.Tensor) ([]float64, error) {
	if err := exact(what, t); err != nil {
		return nil, err
	}
	return t.Float64s(), nil
}

// exact returns an error if the tensor does not contain numbers. It also returns an error if the
// tensor contains 64-bit integers that float64 would round, because two different integers could
// then look equal.
func exact(what string, t *tensor.Tensor) error {
	if t == nil || !t.ElementType().Valid() || t.ElementType() == tensor.String {
		return fmt.Errorf("%s: want a tensor of numbers", what)
	}
	rounded := -1
	if all, err := tensor.Values[int64](t); err == nil {
		rounded = slices.IndexFunc(all, func(v int64) bool { return rounds(uint64(max(v, -v))) })
	} else if all, err := tensor.Values[uint64](t); err == nil {
		rounded = slices.IndexFunc(all, rounds)
	}
	if rounded >= 0 {
		return fmt.Errorf("%s: element %d is %s, which float64 would round: compare it with a check of "+
			"package compare", what, rounded, t.Text(rounded))
	}
	return nil
}

// readRow copies one row of a tensor that [exact] accepts: numbers that float64 represents without
// rounding.
func readRow(into []float64, t *tensor.Tensor, row int) {
	from := row * len(into)
	if values, err := tensor.Values[float32](t); err == nil {
		for i, v := range values[from : from+len(into)] {
			into[i] = float64(v)
		}
		return
	}
	for i := range into {
		into[i] = t.Float64At(from + i)
	}
}

// rounds reports whether converting an integer of this magnitude to float64 could change it.
func rounds(v uint64) bool { return bits.Len64(v)-bits.TrailingZeros64(v) > 53 }

// integers returns the elements of a tensor of integers or bools, without rounding.
func integers(what string, t *tensor.Tensor) ([]int, error) {
	if t == nil || !t.ElementType().IsInteger() && t.ElementType() != tensor.Bool {
		return nil, fmt.Errorf("%s has element type %v; want integers", what, t.ElementType())
	}
	ids := make([]int, t.Len())
	signed, _ := tensor.Values[int64](t) // nil for other types, like unsigned
	unsigned, _ := tensor.Values[uint64](t)
	for i := range ids {
		switch {
		case signed != nil:
			ids[i] = int(signed[i])
		case unsigned != nil && unsigned[i] > math.MaxInt:
			return nil, fmt.Errorf("%s: element %d is %d, which is beyond int64", what, i, unsigned[i])
		case unsigned != nil:
			ids[i] = int(unsigned[i])
		default:
			ids[i] = int(t.Float64At(i))
		}
	}
	return ids, nil
}

// split cuts values into rows of the given width.
func split[T any](values []T, width int) [][]T {
	return slices.Collect(slices.Chunk(values, width))
}
