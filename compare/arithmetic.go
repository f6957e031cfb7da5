package compare

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// arithmetic is the kind of number in which two tensors are subtracted.
type arithmetic uint8

const (
	inFloat32 arithmetic = iota // both float32 or narrower floats, or one of them bool
	inFloat64                   // the rest: a float64, an integer with a float, uint64 with signed
	inInt64                     // integers of every width but uint64; differences do not wrap
	inUint64                    // uint64 with uint64 or bool
	inBool                      // both bool: exclusive or
	inString                    // both string: equal or not
	unrelated                   // a string with a number
)

// promote is NumPy's promotion as Polygraphy meets it, after its up-cast: float16 becomes float32,
// integers of 8 and 16 bits int32, uint32 int64. bfloat16, float8 and 4-bit integers, which
// Polygraphy does not know, go the way of their nearest relatives.
func promote(x, y tensor.ElementType) arithmetic {
	switch {
	case x == tensor.String && y == tensor.String:
		return inString
	case x == tensor.String || y == tensor.String:
		return unrelated
	case x == tensor.Bool && y == tensor.Bool:
		return inBool
	case x == tensor.Bool:
		return promote(y, y)
	case y == tensor.Bool:
		return promote(x, x)
	case x == tensor.Float64 || y == tensor.Float64:
		return inFloat64
	case x.IsFloat() && y.IsFloat():
		return inFloat32
	case x.IsFloat() || y.IsFloat():
		return inFloat64
	case x == tensor.Uint64 && y == tensor.Uint64:
		return inUint64
	case x == tensor.Uint64 && y.IsSigned(), y == tensor.Uint64 && x.IsSigned():
		return inFloat64
	case x == tensor.Uint64 || y == tensor.Uint64:
		// Polygraphy's up-cast makes the narrower unsigned type a signed one first.
		return inFloat64
	}
	return inInt64
}

// equality is what counts as equal beyond equal numbers.
type equality struct{ nan, infinities bool }

// pair is two tensors of one shape, ready to be subtracted strip by strip.
type pair struct {
	actual, expected *tensor.Tensor
	n                int
	arith            arithmetic
	equal            equality
	// wide is whether errors are float64. Integers' are, and so are float32's under InfinitiesEqual,
	// where NumPy's where() widens them before the division.
	wide bool
	// eps is whether a reference of zero is replaced by 2⁻⁵² in the division.
	eps bool
	// exact is whether float64 would lose bits, so that integers are subtracted as such.
	exact bool
}

func pairOf(actual, expected *tensor.Tensor, equal equality) (pair, error) {
	x, y := actual.ElementType(), expected.ElementType()
	p := pair{actual: actual, expected: expected, n: actual.Len(), arith: promote(x, y),
		equal: equal, eps: y.IsFloat()}
	p.exact = p.arith == inFloat64 && inexact(x, y)
	p.wide = p.arith != inFloat32 || equal.infinities
	if p.arith == unrelated {
		return pair{}, fmt.Errorf("compare: %v has no arithmetic with %v", x, y)
	}
	return p, nil
}

// zero is what a float32 reference of zero is replaced by.
func (p *pair) zero() float32 {
	if p.eps {
		return epsilon
	}
	return 0
}

// native reports whether both sides are stored in the float type of the arithmetic, so that
// strips are views of the tensors' own memory.
func (p *pair) native(t tensor.ElementType) bool {
	return p.actual.ElementType() == t && p.expected.ElementType() == t
}
