package decisions

import (
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

// width returns the length of the last axis. A tensor without axes or without elements is an error.
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

// finite returns an error if a row contains NaN, because such a row cannot be ordered. It accepts
// infinities.
func finite(what string, row int, values []float64) error {
	if i := slices.IndexFunc(values, math.IsNaN); i >= 0 {
		return fmt.Errorf("%s: row %d contains a NaN at index %d, so it has no order", what, row, i)
	}
	return nil
}

// gap returns the distance between two scores. It is 0 for equal infinities.
func gap(x, y float64) float64 {
	if x == y {
		return 0
	}
	return math.Abs(x - y)
}
