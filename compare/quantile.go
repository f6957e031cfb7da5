package compare

import "math"

// quantileRanks returns the two neighbouring ranks between which the q-quantile of n numbers lies,
// and the quantile's fractional position t between them. The position q·(n−1) is computed in
// float64, as NumPy does.
func quantileRanks(q float64, n int) (lower, upper int, t float64) {
	position := float64(q * float64(n-1))
	lower = min(int(position), n-1)
	return lower, min(lower+1, n-1), position - float64(lower)
}

// medianRanks returns the ranks of the two middle numbers of n; they are equal if n is odd.
func medianRanks(n int) (lower, upper int) { return (n - 1) / 2, n / 2 }

// middle returns the median of n errors. a and b are the errors at the ranks that [medianRanks]
// returns. The median is a if n is odd, and the mean of a and b if n is even. Like NumPy, middle
// adds a and b in the errors' own type, so the sum may overflow.
func (p *pair) middle(a, b float64, n int) float64 {
	if n%2 == 1 {
		return a
	}
	if !p.wide {
		return float64((float32(a) + float32(b)) / 2)
	}
	return (a + b) / 2
}

// between interpolates from a to b like NumPy, in the errors' own type: a + (b−a)·t, or b −
// (b−a)·(1−t) if t ≥ 0.5. If a or b is infinite, these formulas often yield NaN.
func (p *pair) between(a, b, t float64) float64 {
	if !p.wide {
		x, y, u := float32(a), float32(b), float32(t)
		d := y - x
		if t >= 0.5 {
			return float64(y - float32(d*(1-u)))
		}
		return float64(x + float32(d*u))
	}
	d := b - a
	if t >= 0.5 {
		return b - float64(d*(1-t))
	}
	return a + float64(d*t)
}

// median returns the medians of the absolute and of the relative errors: 0 if the pair is empty,
// NaN if an error is NaN.
func (p *pair) median() (abs, rel float64) {
	if p.n == 0 {
		return 0, 0
	}
	lower, upper := medianRanks(p.n)
	return p.atRanks(lower, upper, func(a, b float64) float64 {
		return p.middle(a, b, p.n)
	})
}

// quantile returns the q-quantiles of the absolute and of the relative errors: +Inf if the pair is
// empty, NaN if an error is NaN.
func (p *pair) quantile(q float64) (abs, rel float64) {
	if p.n == 0 {
		return math.Inf(1), math.Inf(1)
	}
	lower, upper, t := quantileRanks(q, p.n)
	return p.atRanks(lower, upper, func(a, b float64) float64 {
		return p.between(a, b, t)
	})
}

func (p *pair) atRanks(lower, upper int, join func(a, b float64) float64) (
	abs, rel float64) {
	ranks, isNaN := []int{lower, upper}, []uint64{errorKeyOf[uint64](math.Inf(1)) + 1}
	if !p.wide {
		isNaN[0] = uint64(errorKeyOf[uint32](math.Inf(1))) + 1
	}
	r := p.rank([2][]int{ranks, ranks}, [2][]uint64{isNaN, isNaN})
	joined := [2]float64{nan, nan}
	for which, at := range r.at {
		if r.below[which][0] == p.n {
			joined[which] = join(at[lower], at[upper])
		}
	}
	return joined[0], joined[1]
}
