package compare

import (
	"math"
	"sort"
)

// distributions computes the medians, quantiles and histograms of the absolute and the relative
// errors. It computes them once for all errors and once for the finite errors. One pass is enough
// for both: infinite errors sort last, so a finite error has the same rank with and without them.
func (p *pair) distributions(of [2][]*Errors, f *facts, asked float64) {
	wanted := []float64{0.90, 0.95, 0.99}
	if !math.IsNaN(asked) {
		wanted = append(wanted, asked)
	}
	facts := [2]*errorFacts{&f.abs, &f.rel}
	var ranks [2][]int
	for which, distributions := range of {
		for _, e := range distributions {
			if e.Count > 0 && !(e.Count == p.n && facts[which].nan > 0) {
				lower, upper := medianRanks(e.Count)
				ranks[which] = append(ranks[which], lower, upper)
				for _, q := range wanted {
					lower, upper, _ := quantileRanks(q, e.Count)
					ranks[which] = append(ranks[which], lower, upper)
				}
			}
		}
	}
	r := p.rank(ranks, [2][]uint64{p.edges(f.abs.max), p.edges(f.rel.max)})
	for which, distributions := range of {
		at := r.at[which]
		for _, e := range distributions {
			targets := []*float64{&e.P90, &e.P95, &e.P99, &e.Quantile}[:len(wanted)]
			switch {
			case e.Count == 0: // Polygraphy does the same
				e.Median = 0
				fill(targets, math.Inf(1))
			case e.Count == p.n && facts[which].nan > 0:
				e.Median = nan
				fill(targets, nan)
			default:
				lower, upper := medianRanks(e.Count)
				e.Median = p.middle(at[lower], at[upper], e.Count)
				for i, q := range wanted {
					lower, upper, t := quantileRanks(q, e.Count)
					*targets[i] = p.between(at[lower], at[upper], t)
				}
			}
			if math.IsNaN(asked) {
				e.Quantile = e.P99
			}
		}
		if p.n > 0 {
			distributions[1].Histogram = histogram(r.below[which], facts[which].finite)
		}
	}
}

func fill(targets []*float64, v float64) {
	for _, t := range targets {
		*t = v
	}
}

// edges returns, for every histogram bin but the first, the smallest error that falls into it, as
// an integer key (see [errorKey]). If most is the largest error, an error v falls into bin
// ⌊v·(bins/most)⌋, computed in float64; the bin never decreases as v grows. edges returns nil if
// all errors are in the first bin.
func (p *pair) edges(most float64) []uint64 {
	if most == 0 {
		return nil
	}
	scale := 1.0
	if bins/most > math.MaxFloat64 {
		scale = 0x1p200
	}
	perBin := bins / (most * scale)
	last, value := errorKeyOf[uint64](most), errorOf[uint64]
	if !p.wide {
		last = uint64(errorKeyOf[uint32](most))
		value = func(k uint64) float64 { return errorOf(uint32(k)) }
	}
	edges := make([]uint64, bins-1)
	for i := range edges {
		edges[i] = uint64(sort.Search(int(last)+1, func(k int) bool {
			return int(value(uint64(k))*scale*perBin) > i
		}))
	}
	return edges
}

// histogram returns the number of finite errors in each bin. It derives them from the numbers of
// errors below each edge.
func histogram(below []int, finite int) []int {
	counts, before := make([]int, bins), 0
	for i, n := range append(below, finite) {
		counts[i], before = n-before, n
	}
	return counts
}
