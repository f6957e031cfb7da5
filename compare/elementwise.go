package compare

import (
	"bytes"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// countMismatches returns the number of elements that break the rule.
func (p pair) countMismatches(by elementRule) (total int) {
	for _, n := range overBlocks(p.n, func(lo, hi int, s *scratch) int {
		return by.mismatching(p, lo, hi, s)
	}) {
		total += n
	}
	return total
}

// mismatches counts the elements of [lo,hi) with abs > atol and rel > rtol; a NaN error exceeds
// both tolerances. Passing specs spend most of their time in this function. It therefore reads both
// tensors only once, and divides only if the absolute tolerance is exceeded.
func (p *pair) mismatches(lo, hi int, atol, rtol float64, s *scratch) int {
	if p.equal != (equality{}) && p.actual.ElementType().IsFloat() {
		return p.mismatchingErrors(lo, hi, atol, rtol, s)
	}
	switch p.arith {
	case inFloat32:
		count, atol, rtol := 0, floor32(atol), floor32(rtol)
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			a := float32s(p.actual, lo, end, &s.a32)
			b := float32s(p.expected, lo, end, &s.b32)
			count += mismatches32(a, b, atol, rtol, p.zero())
		}
		return count
	case inFloat64:
		if p.actual.ElementType() == tensor.Float64 && p.expected.ElementType() == tensor.Float64 {
			a, b := view[float64](p.actual, lo, hi), view[float64](p.expected, lo, hi)
			return mismatchingFloats(a, b, atol, rtol, epsilon)
		}
	case inInt64, inBool:
		return p.mismatchingIntegers(lo, hi, atol, rtol, s)
	}
	return p.mismatchingErrors(lo, hi, atol, rtol, s)
}

// mismatchingFloats counts the elements with |a−b| > atol and |a−b|/|b| > rtol. It compares each
// difference with a lower and an upper bound instead of taking its absolute value: the sign of a
// rounding error is random, so a branch on it is always mispredicted. NaN exceeds both tolerances.
// The parameter zero is the divisor for elements at which b is 0.
func mismatchingFloats[F float32 | float64](a, b []F, atol, rtol, zero F) (count int) {
	b = b[:len(a)]
	for i, x := range a {
		y := b[i]
		d := x - y
		if -atol <= d && d <= atol {
			continue
		}
		if y == 0 {
			y = zero
		}
		if q := d / y; -rtol <= q && q <= rtol {
			continue
		}
		count++
	}
	return count
}

// mismatchingIntegers counts the mismatches of integers or bools. It skips elements with equal
// bits: most integers that pass are equal. It computes the relative error, which needs a division,
// only if the difference exceeds atol. It rounds the difference to float64 before it compares the
// difference with atol. This is safe: a difference of at most atol is never rounded above atol.
func (p *pair) mismatchingIntegers(lo, hi int, atol, rtol float64, s *scratch) (count int) {
	within := uint64(math.MaxUint64)
	if atol < 1<<64 {
		within = uint64(atol)
	}
	width := p.actual.ElementType().Bits() / 8 // 0 for elements of less than a byte
	whole := width > 0 && p.actual.ElementType() == p.expected.ElementType()
	for ; lo < hi; lo += chunk {
		end := min(lo+chunk, hi)
		if whole && bytes.Equal(view[byte](p.actual, lo*width, end*width),
			view[byte](p.expected, lo*width, end*width)) {
			continue
		}
		a, b := int64s(p.actual, lo, end, &s.aInt), int64s(p.expected, lo, end, &s.bInt)
		for i, x := range a {
			distance := distance(x, b[i])
			if distance <= within {
				continue
			}
			d := float64(distance)
			if !(d <= atol) && !(d/float64(magnitude(b[i])) <= rtol) {
				count++
			}
		}
	}
	return count
}

// mismatchingErrors counts the mismatches by computing all errors, 1024 elements at a time. It is
// slower than the specialised loops but works for every pair.
func (p *pair) mismatchingErrors(lo, hi int, atol, rtol float64, s *scratch) (count int) {
	for ; lo < hi; lo += chunk {
		abs, rel := p.errors64(lo, min(lo+chunk, hi), s)
		for i, d := range abs {
			if !(d <= atol) && !(rel[i] <= rtol) {
				count++
			}
		}
	}
	return count
}

// floor32 returns the largest float32 that is not above v, so that a float32 error exceeds v if
// and only if it exceeds floor32(v).
func floor32(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}
