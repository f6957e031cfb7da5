package compare

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// mismatchingNative counts the mismatches if both sides hold bools, or integers of one type. ok is
// false for types that need a conversion.
func (p *pair) mismatchingNative(lo, hi int, atol, rtol float64) (count int, ok bool) {
	switch p.actual.ElementType() {
	case tensor.Bool:
		return mismatchingBools(p, lo, hi, atol, rtol), true
	case tensor.Int8:
		return mismatchingBytes[int8](p, lo, hi, 0x80, atol, rtol), true
	case tensor.Uint8:
		return mismatchingBytes[uint8](p, lo, hi, 0, atol, rtol), true
	case tensor.Int16:
		return mismatchingIntegers[int16](p, lo, hi, atol, rtol), true
	case tensor.Uint16:
		return mismatchingIntegers[uint16](p, lo, hi, atol, rtol), true
	case tensor.Int32:
		return mismatchingIntegers[int32](p, lo, hi, atol, rtol), true
	case tensor.Uint32:
		return mismatchingIntegers[uint32](p, lo, hi, atol, rtol), true
	case tensor.Int64:
		return mismatchingInt64s(p, lo, hi, atol, rtol), true
	}
	return 0, false
}

func mismatchingIntegers[T int8 | uint8 | int16 | uint16 | int32 | uint32](
	p *pair, lo, hi int, atol, rtol float64) (count int) {
	a, b := view[T](p.actual, lo, hi), view[T](p.expected, lo, hi)
	within := int64(min(math.Floor(atol), 1<<32)) // 1<<32 is more than any difference
	b = b[:len(a)]
	for i, x := range a {
		y := int64(b[i])
		d := int64(x) - y
		if -within <= d && d <= within {
			continue
		}
		if !(math.Abs(float64(d))/math.Abs(float64(y)) <= rtol) {
			count++
		}
	}
	return count
}

// mismatchingBytes computes relative errors only for blocks of 64 elements in which some element
// exceeds atol. flip is XORed with each byte of a signed type, so that the bytes sort like the
// values.
func mismatchingBytes[T int8 | uint8](p *pair, lo, hi int, flip uint8, atol, rtol float64) (
	count int) {
	a, b := view[uint8](p.actual, lo, hi), view[uint8](p.expected, lo, hi)
	within := uint8(min(math.Floor(atol), math.MaxUint8))
	for at := 0; at < len(a); at += bytesAtOnce {
		if at += withinBytes(a[at:], b[at:], flip, math.MaxUint8, within); at < len(a) {
			count += mismatchingIntegers[T](p, lo+at, min(lo+at+bytesAtOnce, hi), atol, rtol)
		}
	}
	return count
}

// mismatchingBools counts the bools that differ. Their absolute error is 1, and their relative
// error is 1/1 or 1/0.
func mismatchingBools(p *pair, lo, hi int, atol, rtol float64) (count int) {
	if atol >= 1 || rtol > math.MaxFloat64 {
		return 0
	}
	a, b := view[uint8](p.actual, lo, hi), view[uint8](p.expected, lo, hi)
	for at := 0; at < len(a); at += bytesAtOnce {
		at += withinBytes(a[at:], b[at:], 0, 1, 0)
		for i := at; i < min(at+bytesAtOnce, len(a)); i++ {
			if (a[i] != 0) != (b[i] != 0) && (b[i] == 0 || rtol < 1) {
				count++
			}
		}
	}
	return count
}

// mismatchingInt64s counts the mismatches of int64 tensors. It compares in float64, because an
// integer difference that is within atol is still within atol after rounding to float64.
func mismatchingInt64s(p *pair, lo, hi int, atol, rtol float64) (count int) {
	a, b := view[int64](p.actual, lo, hi), view[int64](p.expected, lo, hi)
	within := uint64(math.MaxUint64)
	if atol < 1<<64 {
		within = uint64(atol)
	}
	b = b[:len(a)]
	for i, x := range a {
		y := b[i]
		distance := distance(x, y)
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
