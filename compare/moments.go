package compare

import "math"

// moments contains the sums from which the metrics are computed. The errors, the actual values and
// the expected values each form a group. If the squares of a group would leave the range of
// float64, the group is first divided by a power of two.
type moments struct {
	n              float64
	dd, ab, aa, bb float64 // Σd², Σab, Σa², Σb², for errors d, actual values a and expected values b
	by             scales
	peak           float64 // the largest expected value, or −Inf if there is none
}

// scales contains three exponents. Before the sums are computed, the errors are divided by 2^d, the
// actual values by 2^a, and the expected values by 2^b.
type scales struct{ d, a, b int }

// moments computes the sums over the whole pair. Only the squares of float64 values can leave the
// range of float64; if the sums show an overflow or underflow, moments computes them again from
// scaled values.
func (p pair) moments() moments {
	m := p.momentsBy(scales{})
	if p.arith != inFloat64 || kept(m.dd) && kept(m.aa) && kept(m.bb) {
		return m
	}
	return p.momentsBy(p.scales())
}

// kept reports whether a sum of squares is far enough from both ends of float64's range that no
// square was lost to overflow or underflow.
func kept(sum float64) bool { return sum >= 1e-280 && sum <= math.MaxFloat64 }

func (p pair) momentsBy(by scales) moments {
	total := moments{n: float64(p.n), by: by, peak: math.Inf(-1)}
	for _, part := range overBlocks(p.n, func(lo, hi int, s *scratch) moments {
		return p.momentsOf(lo, hi, by, s)
	}) {
		total.dd += part.dd
		total.ab += part.ab
		total.aa += part.aa
		total.bb += part.bb
		total.peak = math.Max(total.peak, part.peak)
	}
	return total
}

func (p *pair) momentsOf(lo, hi int, by scales, s *scratch) moments {
	m := moments{peak: math.Inf(-1)}
	d, a, b := math.Ldexp(1, -by.d), math.Ldexp(1, -by.a), math.Ldexp(1, -by.b)
	for ; lo < hi; lo += chunk {
		end := min(lo+chunk, hi)
		abs, _ := p.errors64(lo, end, s)
		for _, x := range abs {
			x *= d
			m.dd += float64(x * x)
		}
		actual := float64s(p.actual, lo, end, &s.a64)
		expected := float64s(p.expected, lo, end, &s.b64)
		for i, x := range actual {
			y := expected[i]
			if !(y <= m.peak) && m.peak == m.peak {
				m.peak = y
			}
			x, y = x*a, y*b
			m.ab += float64(x * y)
			m.aa += float64(x * x)
			m.bb += float64(y * y)
		}
	}
	return m
}

// scales returns the powers of two that bring the largest error and the largest value of each
// side near 1.
func (p pair) scales() scales {
	type greatest struct{ d, a, b float64 }
	var most greatest
	for _, part := range overBlocks(p.n, func(lo, hi int, s *scratch) (g greatest) {
		for ; lo < hi; lo += chunk {
			end := min(lo+chunk, hi)
			abs, _ := p.errors64(lo, end, s)
			for _, d := range abs {
				g.d = max(g.d, d)
			}
			a, b := float64s(p.actual, lo, end, &s.a64), float64s(p.expected, lo, end, &s.b64)
			for i := range a {
				g.a, g.b = max(g.a, math.Abs(a[i])), max(g.b, math.Abs(b[i]))
			}
		}
		return g
	}) {
		most = greatest{max(most.d, part.d), max(most.a, part.a), max(most.b, part.b)}
	}
	return scales{exponent(most.d), exponent(most.a), exponent(most.b)}
}

// exponent returns the binary exponent of a positive number, clamped so that 2 to that power and
// its inverse are both float64 numbers. It returns 0 for a number that cannot be scaled.
func exponent(v float64) int {
	if !(v > 0 && v <= math.MaxFloat64) {
		return 0
	}
	_, e := math.Frexp(v)
	return max(-1000, e)
}

// decibels converts a factor to decibels. The factor is two to the power of the given exponent.
func decibels(exponent int) float64 { return float64(float64(exponent) * 20 * math.Log10(2)) }

// meanOfDecibels averages the noise-to-signal ratios of the iterations, and then converts the mean
// to decibels. If it averaged the decibels instead, one iteration without any noise (+Inf) would
// hide all others.
func meanOfDecibels(results []Result) Result {
	mean := meanOf(results)
	noise := 0.0
	for _, r := range results {
		noise += math.Pow(10, -r.Value/10)
	}
	if len(results) > 0 {
		mean.Value = -10 * math.Log10(noise/float64(len(results)))
	}
	return mean
}
