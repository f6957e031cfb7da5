package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// span is the least and the greatest value of a type that holds neither NaN nor infinities, and
// whether it is such a type.
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
