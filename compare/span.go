package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// span returns the smallest and the largest value of an element type. ok is false for types that
// have a NaN or infinities.
func span(t tensor.ElementType) (low, high float64, ok bool) {
	switch {
	case t == tensor.Bool:
		return 0, 1, true
	case t == tensor.Float4E2M1:
		return -6, 6, true
	case t == tensor.String || t.IsFloat():
		return 0, 0, false
	case t.IsSigned():
		half := math.Exp2(float64(t.Bits() - 1))
		return -half, half - 1, true
	}
	return 0, math.Exp2(float64(t.Bits())) - 1, true
}
