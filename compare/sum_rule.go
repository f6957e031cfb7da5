package compare

import "math"

// mismatchingSums counts the elements of [lo,hi) with |a−b| > atol + rtol·|b|. Floats are
// subtracted in float64, integers exactly.
func (p *pair) mismatchingSums(lo, hi int, atol, rtol float64, s *scratch) (count int) {
	for ; lo < hi; lo += strip {
		end := min(lo+strip, hi)
		if p.arith != inFloat32 && p.arith != inFloat64 {
			abs, _ := p.errors64(lo, end, s)
			b := float64s(p.expected, lo, end, &s.b64)
			for i, d := range abs {
				if !p.equal.sumHolds(d, b[i], b[i], atol, rtol) {
					count++
				}
			}
			continue
		}
		a := float64s(p.actual, lo, end, &s.a64)
		b := float64s(p.expected, lo, end, &s.b64)
		for i, x := range a {
			if !p.equal.sumHolds(math.Abs(x-b[i]), x, b[i], atol, rtol) {
				count++
			}
		}
	}
	return count
}

// sumHolds is the additive rule for one element with the difference d.
func (e equality) sumHolds(d, x, y, atol, rtol float64) bool {
	if math.IsInf(y, 0) {
		return x == y // or ∞ ≤ rtol·∞ would accept any value
	}
	allowed := atol
	if y != 0 {
		allowed += float64(rtol * math.Abs(y))
	}
	return d <= allowed || e.nan && x != x && y != y
}
