package decisions

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// rows takes scores apart into rows along the last axis.
func rows(what string, t *tensor.Tensor) ([][]float64, error) {
	if t == nil || !t.ElementType().Valid() || t.ElementType() == tensor.String {
		return nil, fmt.Errorf("decisions: %s: want a tensor of numbers", what)
	}
	shape := t.Shape()
	if len(shape) == 0 {
		return nil, fmt.Errorf("decisions: %s: want at least one axis, got %v%v", what,
			t.ElementType(), shape)
	}
	width := shape[len(shape)-1]
	if t.Len() == 0 {
		return nil, fmt.Errorf("decisions: %s %v%v is empty, so nothing is decided", what,
			t.ElementType(), shape)
	}
	values := t.Float64s()
	all := make([][]float64, len(values)/width)
	for i := range all {
		all[i] = values[i*width : (i+1)*width]
	}
	return all, nil
}

// bothRows takes two sides apart, which must have one shape.
func bothRows(actual, expected *tensor.Tensor) (a, e [][]float64, err error) {
	if a, err = rows("actual", actual); err != nil {
		return nil, nil, err
	}
	if e, err = rows("expected", expected); err != nil {
		return nil, nil, err
	}
	if !actual.Shape().Equal(expected.Shape()) {
		return nil, nil, fmt.Errorf("decisions: the shapes differ: actual %v, expected %v",
			actual.Shape(), expected.Shape())
	}
	return a, e, nil
}

// tolerance refuses a margin that cannot be meant.
func tolerance(margin float64) error {
	if math.IsNaN(margin) || margin < 0 {
		return fmt.Errorf("decisions: the margin is %v: it must be zero or positive", margin)
	}
	return nil
}

// finite refuses a row that has no order.
func finite(what string, row int, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) {
			return fmt.Errorf("decisions: %s: row %d has a NaN at %d, so nothing is decided there",
				what, row, i)
		}
	}
	return nil
}

// argmax is the index of the greatest value, the first of equal ones, as in NumPy.
func argmax(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}
