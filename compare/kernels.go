package compare

import "math"

// This file contains the inner loops in plain Go. kernels_amd64.s has the same loops in assembly
// for processors with AVX2, with bitwise identical results. The build tag purego leaves out the
// assembly.

// errorsGo writes |a−b| to abs and |a−b|/|b| to rel, each rounded to float32. The parameter zero
// is the divisor for elements at which b is 0.
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

// errorTotals summarises absolute errors, or relative errors. No error is negative.
type errorTotals struct {
	sums                  lanes   // the sums of the finite errors
	most                  float64 // the largest finite error
	finite, infinite, nan int
}

// count counts n more errors, of which nans are NaN, and nonFinite are NaN or infinite. most is the
// largest finite one.
func (t *errorTotals) count(n, nonFinite, nans int, most float64) {
	t.finite += n - nonFinite
	t.infinite += nonFinite - nans
	t.nan += nans
	t.most = max(t.most, most)
}

// all returns the largest error and the sum, including errors that are not finite. Both are NaN if
// an error is.
func (t *errorTotals) all() (most, sum float64) {
	switch {
	case t.nan > 0:
		return nan, nan
	case t.infinite > 0:
		return math.Inf(1), math.Inf(1)
	}
	return t.most, t.sums.sum()
}

// addErrorsGo adds at most one [chunk] of errors to t.
func addErrorsGo[F float32 | float64](errors []F, t *errorTotals) {
	before, nonFinite, nans := t.sums, 0, 0
	most := addToLanes(errors, &t.sums)
	if most-most != 0 {
		var room [chunk]F
		t.sums = before
		for i, e := range errors { // without a branch, which the processor would mispredict
			key := int64(math.Float64bits(float64(e))) &^ math.MinInt64
			isFinite := (key - infinityKey) >> 63
			room[i] = F(math.Float64frombits(uint64(key & isFinite)))
			nonFinite += int(isFinite + 1)
			nans -= int((infinityKey - key) >> 63)
		}
		most = addToLanes(room[:len(errors)], &t.sums)
	}
	t.count(len(errors), nonFinite, nans, float64(most))
}

// infinityKey contains the bits of an infinite float64. Those of NaN are above it.
const infinityKey = 0x7ff << 52

// addToLanes adds errors to the lanes. It returns the largest error, or NaN if one is NaN.
func addToLanes[F float32 | float64](errors []F, l *lanes) (most F) {
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
