package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// whole is an integer of any type, or a float whose value is an integer.
type whole struct {
	negative  bool
	magnitude uint64
	beyond    bool // the magnitude is 2⁶⁴, which is what the largest uint64 rounds to in float64
}

// wholeAt returns element i of a numeric tensor, converted to the type whole. The bool is false if
// the element is not an integer of magnitude up to 2⁶⁴.
func wholeAt(t *tensor.Tensor, i int) (whole, bool) {
	switch t.ElementType() {
	case tensor.Int64:
		v := view[int64](t, i, i+1)[0]
		return whole{negative: v < 0, magnitude: magnitude(v)}, true
	case tensor.Uint64:
		return whole{magnitude: view[uint64](t, i, i+1)[0]}, true
	}
	v := t.Float64At(i)
	switch {
	case math.Trunc(v) != v || !(math.Abs(v) <= 1<<64):
		return whole{}, false
	case math.Abs(v) == 1<<64:
		return whole{negative: v < 0, beyond: true}, true
	}
	return whole{negative: v < 0, magnitude: uint64(math.Abs(v))}, true
}

// apart returns |x−y| as a float64, rounded only once.
func (x whole) apart(y whole) float64 {
	switch {
	case x.negative != y.negative:
		return x.float() + y.float()
	case x.beyond == y.beyond:
		return float64(max(x.magnitude, y.magnitude) - min(x.magnitude, y.magnitude))
	case x.beyond:
		x, y = y, x
	}
	return float64(^x.magnitude) + 1 // 2⁶⁴ − x
}

// float returns the magnitude as a float64, rounded.
func (x whole) float() float64 {
	if x.beyond {
		return 1 << 64
	}
	return float64(x.magnitude)
}

// exactErrors recomputes errors in [lo,hi) without rounding the two values to float64 first. It
// does so if both values are integers; a float such as 3.0 also counts as an integer. In float64, a
// comparison of a 64-bit integer with a float, or of an int64 with a uint64, would lose the last
// bits.
func (p *pair) exactErrors(lo, hi int, abs, rel []float64) {
	for i := lo; i < hi; i++ {
		x, integer := wholeAt(p.actual, i)
		y, both := wholeAt(p.expected, i)
		if integer && both {
			d := x.apart(y)
			abs[i-lo], rel[i-lo] = d, p.ratio(d, p.expected.Float64At(i))
		}
	}
}

// inexact reports whether float64 arithmetic between two types can round an integer.
func inexact(x, y tensor.ElementType) bool {
	return x == tensor.Int64 || x == tensor.Uint64 || y == tensor.Int64 || y == tensor.Uint64
}
