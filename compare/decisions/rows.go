package decisions

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// rows splits a tensor of scores into rows along the last axis.
func rows(what string, t *tensor.Tensor) ([][]float64, error) {
	values, err := numbers(what, t)
	if err != nil {
		return nil, err
	}
	width, err := width(what, t)
	if err != nil {
		return nil, err
	}
	return split(values, width), nil
}

// width returns the length of the last axis, or an error if there are no rows along it.
func width(what string, t *tensor.Tensor) (int, error) {
	shape := t.Shape()
	if len(shape) == 0 {
		return 0, fmt.Errorf("%s: want at least one axis, got %v%v", what, t.ElementType(), shape)
	}
	if t.Len() == 0 {
		return 0, fmt.Errorf("%s %v%v is empty, so there is nothing to compare", what, t.ElementType(),
			shape)
	}
	return shape[len(shape)-1], nil
}

// finite returns an error if a row contains NaN, because such a row cannot be ordered.
func finite(what string, row int, values []float64) error {
	if i := slices.IndexFunc(values, math.IsNaN); i >= 0 {
		return fmt.Errorf("%s: row %d contains a NaN at index %d, so it has no order", what, row, i)
	}
	return nil
}

// argmax returns the index of the largest value; ties go to the lower index, as in NumPy.
func argmax(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// gap returns the distance between two scores. It is 0 for equal infinities.
func gap(x, y float64) float64 {
	if x == y {
		return 0
	}
	return math.Abs(x - y)
}

// leaders returns the indices of the k largest values, largest first; ties go to the lower index.
// If k is small, it reads every value once and sorts only the leaders; otherwise it sorts all
// values.
func leaders(values []float64, k int) []int {
	greatestFirst := func(i, j int) int {
		return cmp.Or(cmp.Compare(values[j], values[i]), cmp.Compare(i, j))
	}
	sorted := k
	if k >= len(values)/8 {
		sorted = len(values)
	}
	order := places(sorted)
	slices.SortFunc(order, greatestFirst)
	for i := sorted; i < len(values); i++ {
		if k > 0 && values[i] > values[order[k-1]] {
			at, _ := slices.BinarySearchFunc(order, i, greatestFirst)
			copy(order[at+1:], order[at:k-1])
			order[at] = i
		}
	}
	return order[:k]
}
