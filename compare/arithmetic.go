package compare

import "github.com/modelparity/modelparity/tensor"

// arithmetic is the number type in which two tensors are subtracted.
type arithmetic uint8

const (
	inFloat32 arithmetic = iota // both float32 or narrower floats, or one of them bool
	inFloat64                   // float64 and any number, integer and float, uint64 and signed integer
	inInt64                     // integers of every width except uint64; differences do not wrap
	inUint64                    // uint64 with uint64 or bool
	inBool                      // both bool: the difference is their exclusive or
	inString                    // both string: equal or not
	unrelated                   // a string with a number
)

// promote returns the arithmetic for two element types. It follows NumPy's promotion rules after
// Polygraphy's up-cast, which turns float16 into float32, 8-bit and 16-bit integers into int32, and
// uint32 into int64. Polygraphy does not know bfloat16, float8 and 4-bit integers; promote treats
// them like the most similar type that Polygraphy knows.
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
	case x == tensor.Uint64 && y == tensor.Uint64:
		return inUint64
	case x.IsInteger() && y.IsInteger() && x != tensor.Uint64 && y != tensor.Uint64:
		return inInt64
	case x.IsFloat() && y.IsFloat() && x != tensor.Float64 && y != tensor.Float64:
		return inFloat32
	}
	// uint64 with a narrower unsigned type too, because Polygraphy's up-cast turns the narrower type
	// into a signed type first.
	return inFloat64
}

// equality says which pairs of values count as equal although their difference is not zero: NaN and
// NaN, or two infinities of the same sign.
type equality struct{ nan, infinities bool }

// pair contains two tensors of one shape, which are subtracted 1024 elements at a time (see
// [chunk]).
type pair struct {
	actual, expected *tensor.Tensor
	n                int
	arith            arithmetic
	equal            equality
	// wide says whether errors are computed in float64. Integers need that, and so do float32
	// values under InfinitiesEqual, because NumPy's where() widens their errors before the
	// division.
	wide bool
	// eps says whether an expected value of zero is replaced by 2⁻⁵² in the division.
	eps bool
	// exact says whether float64 would lose bits of an integer, so that integers are subtracted as
	// integers.
	exact bool
}

// pairOf returns the pair of two tensors of one shape.
func pairOf(actual, expected *tensor.Tensor, equal equality) pair {
	x, y := actual.ElementType(), expected.ElementType()
	p := pair{actual: actual, expected: expected, n: actual.Len(), arith: promote(x, y),
		equal: equal, eps: y.IsFloat()}
	p.exact = p.arith == inFloat64 && inexact(x, y)
	p.wide = p.arith != inFloat32 || equal.infinities
	return p
}

// pair returns the output's two tensors. ok is false if their values were not compared, or if one
// tensor contains strings and the other tensor contains numbers.
func (o Output) pair() (p pair, ok bool) {
	if len(o.Results) == 0 || o.Actual == nil || o.Expected == nil ||
		!o.Actual.Shape().Equal(o.Expected.Shape()) {
		return p, false
	}
	p = pairOf(o.Actual, o.Expected, o.rules)
	return p, p.arith != unrelated
}

// zero returns the number that replaces an expected value of zero in a float32 division.
func (p *pair) zero() float32 {
	if p.eps {
		return epsilon
	}
	return 0
}
