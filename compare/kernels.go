package compare

import "math"

// This file contains the inner loops in plain Go. kernels_amd64.s has the same loops in assembly
// for processors with AVX2, with bitwise identical results. The build tag purego leaves out the
// assembly.

// errorsGo writes |a−b| to abs and |a−b|/|b| to rel, each rounded to float32. floatErrors32 does
// the same, and also adds both results to folded as foldGo does.
func errorsGo(abs, rel, a, b []float32, zero float32) {
	b, abs, rel = b[:len(a)], abs[:len(a)], rel[:len(a)]
	for i, x := range a {
		y := b[i]
		d := abs32(x - y)
		if y == 0 {
			y = zero
		}
		abs[i], rel[i] = d, d/abs32(y)
	}
}

// lanes contains the eight partial sums of one sum: element i is added to lane i mod 8, as in the
// vector registers.
type lanes [8]float64

func (l *lanes) sum() float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// folded describes errors of one kind. No error is negative.
type folded struct {
	sums                  lanes   // the sums of the finite errors
	most                  float64 // the largest finite error
	finite, infinite, nan int
}

// count adds the numbers of n errors, of which odd are not finite.
func (f *folded) count(n, odd, nans int, most float64) {
	f.finite += n - odd
	f.infinite += odd - nans
	f.nan += nans
	f.most = max(f.most, most)
}

// all returns the largest error and the sum, including errors that are not finite. Both are NaN if
// an error is.
func (f *folded) all() (most, sum float64) {
	switch {
	case f.nan > 0:
		return nan, nan
	case f.infinite > 0:
		return math.Inf(1), math.Inf(1)
	}
	return f.most, f.sums.sum()
}

// foldGo adds at most one [strip] of errors to f.
func foldGo[F float32 | float64](errors []F, f *folded) {
	before, odd, nans := f.sums, 0, 0
	most := foldLanes(errors, &f.sums)
	if most-most != 0 {
		var room [strip]F
		f.sums = before
		for i, e := range errors { // without a branch, which the processor would mispredict
			key := int64(math.Float64bits(float64(e))) &^ math.MinInt64
			isFinite := (key - infinityKey) >> 63
			room[i] = F(math.Float64frombits(uint64(key & isFinite)))
			odd += int(isFinite + 1)
			nans -= int((infinityKey - key) >> 63)
		}
		most = foldLanes(room[:len(errors)], &f.sums)
	}
	f.count(len(errors), odd, nans, float64(most))
}

// infinityKey contains the bits of an infinite float64. Those of NaN are above it.
const infinityKey = 0x7ff << 52

// foldLanes adds errors to the lanes. It returns the largest error, or NaN if one is NaN.
func foldLanes[F float32 | float64](errors []F, l *lanes) (most F) {
	i := 0
	for ; i+8 <= len(errors); i += 8 {
		v := (*[8]F)(errors[i:])
		for j := range v {
			l[j] += float64(v[j])
			if !(v[j] <= most) && most == most {
				most = v[j]
			}
		}
	}
	for j, v := range errors[i:] {
		l[j] += float64(v)
		if !(v <= most) && most == most {
			most = v
		}
	}
	return most
}
