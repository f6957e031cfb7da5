package compare

import (
	"errors"
	"math"
)

// errNoNumbers refuses a metric of strings.
var errNoNumbers = errors.New("strings have no numbers; hold them to Within, which asks for " +
	"equality")

// moments are the sums behind the metrics, of both sides multiplied by scale.
type moments struct {
	n              float64
	dd, ab, aa, bb float64 // Σ(a−b)², Σab, Σa², Σb²
	peak           float64 // the greatest expected value, −Inf for none
	scale          float64
}

// moments folds the whole pair. Squares of float64 values can leave the range of float64 both ways;
// only where they do, the sums are taken again with both sides scaled by a power of two.
func (p pair) moments(workers int) moments {
	m := p.scaledMoments(1, workers)
	if p.arith != inFloat64 || m.comfortable() {
		return m
	}
	most := p.greatest(workers)
	if most == 0 || most > math.MaxFloat64 || most != most {
		return m
	}
	_, exponent := math.Frexp(most)
	return p.scaledMoments(math.Ldexp(1, -exponent), workers)
}

// comfortable reports whether no square can have been lost at either end.
func (m moments) comfortable() bool {
	for _, sum := range []float64{m.dd, m.aa, m.bb} {
		if !(sum >= 1e-280 && sum <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

func (p pair) scaledMoments(scale float64, workers int) moments {
	total := moments{n: float64(p.n), peak: math.Inf(-1), scale: scale}
	for _, part := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) moments {
		return p.momentsOf(lo, hi, scale, s)
	}) {
		total.dd += part.dd
		total.ab += part.ab
		total.aa += part.aa
		total.bb += part.bb
		total.peak = math.Max(total.peak, part.peak)
	}
	return total
}

func (p pair) momentsOf(lo, hi int, scale float64, s *scratch) moments {
	m := moments{peak: math.Inf(-1)}
	for ; lo < hi; lo += strip {
		end := min(lo+strip, hi)
		abs, _ := p.errors64(lo, end, s)
		for _, d := range abs {
			d *= scale
			m.dd += float64(d * d)
		}
		a, b := float64s(p.actual, lo, end, &s.a64), float64s(p.expected, lo, end, &s.b64)
		for i, x := range a {
			x, y := x*scale, b[i]*scale
			m.ab += float64(x * y)
			m.aa += float64(x * x)
			m.bb += float64(y * y)
			if !(y <= m.peak) && m.peak == m.peak {
				m.peak = y
			}
		}
	}
	return m
}

// greatest is the greatest magnitude on either side.
func (p pair) greatest(workers int) (most float64) {
	for _, part := range overBlocks(p.n, workers, func(lo, hi int, s *scratch) (most float64) {
		for ; lo < hi; lo += strip {
			end := min(lo+strip, hi)
			a, b := float64s(p.actual, lo, end, &s.a64), float64s(p.expected, lo, end, &s.b64)
			for i := range a {
				most = max(most, math.Abs(a[i]), math.Abs(b[i]))
			}
		}
		return most
	}) {
		most = max(most, part)
	}
	return most
}
