package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// mismatchingNative counts the mismatches if both sides contain integers of one type, except
// uint64. ok is false if the types need a conversion.
func (p *pair) mismatchingNative(lo, hi int, atol, rtol float64) (count int, ok bool) {
	switch p.actual.ElementType() {
	case tensor.Int8:
		return mismatchingIntegers[int8](p, lo, hi, atol, rtol), true
	case tensor.Uint8:
		return mismatchingIntegers[uint8](p, lo, hi, atol, rtol), true
	case tensor.Int16:
		return mismatchingIntegers[int16](p, lo, hi, atol, rtol), true
	case tensor.Uint16:
		return mismatchingIntegers[uint16](p, lo, hi, atol, rtol), true
	case tensor.Int32:
		return mismatchingIntegers[int32](p, lo, hi, atol, rtol), true
	case tensor.Uint32:
		return mismatchingIntegers[uint32](p, lo, hi, atol, rtol), true
	case tensor.Int64:
		return mismatchingIntegers[int64](p, lo, hi, atol, rtol), true
	}
	return 0, false
}

// mismatchingIntegers counts the mismatches of integers. It divides only if the difference exceeds
// atol. It makes that comparison in float64, because an integer difference that is within atol is
// still within atol after rounding to float64.
func mismatchingIntegers[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64](
	p *pair, lo, hi int, atol, rtol float64) (count int) {
	a, b := view[T](p.actual, lo, hi), view[T](p.expected, lo, hi)
	within := uint64(math.MaxUint64)
	if atol < 1<<64 {
		within = uint64(atol)
	}
	b = b[:len(a)]
	for i, x := range a {
		y := int64(b[i])
		distance := distance(int64(x), y)
		if distance <= within {
			continue
		}
		d := float64(distance)
		if !(d <= atol) && !(d/float64(magnitude(y)) <= rtol) {
			count++
		}
	}
	return count
}
