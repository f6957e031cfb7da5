package compare

import (
	"math"
	"slices"
)

// distributions computes the medians, quantiles and histograms of the absolute and the relative
// errors. It computes them once for all errors and once for the finite errors. Infinite errors sort
// last, so a finite error has the same rank with and without them.
func (p *pair) distributions(of [2][]*Errors, f *facts, asked float64) {
	wanted := []float64{0.90, 0.95, 0.99}
	if !math.IsNaN(asked) {
		wanted = append(wanted, asked)
	}
	facts := [2]*errorFacts{&f.abs, &f.rel}
	var pairs [2][][2]int
	add := func(which, lower, upper int) {
		if pair := [2]int{lower, upper}; !slices.Contains(pairs[which], pair) {
			pairs[which] = append(pairs[which], pair)
		}
	}
	for which, distributions := range of {
		for _, e := range distributions {
			if e.Count > 0 && !(e.Count == p.n && facts[which].nan > 0) {
				lower, upper := medianRanks(e.Count)
				add(which, lower, upper)
				for _, q := range wanted {
					lower, upper, _ := quantileRanks(q, e.Count)
					add(which, lower, upper)
				}
			}
		}
	}
	at := p.rank(pairs).at
	for which, distributions := range of {
		at := at[which]
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
	}
	if p.n > 0 {
		histograms := p.histograms([2]float64{f.abs.max, f.rel.max})
		of[0][1].Histogram, of[1][1].Histogram = histograms[0][:], histograms[1][:]
	}
}

func fill(targets []*float64, v float64) {
	for _, t := range targets {
		*t = v
	}
}

// histograms counts the finite errors in each bin, given the largest absolute and the largest
// relative error. An error v falls into bin ⌊v·(bins/most)⌋, computed in float64, but at most into
// the last bin.
func (p *pair) histograms(most [2]float64) (total [2][bins]int) {
	scale, perBin := [2]float64{1, 1}, [2]float64{}
	for which, v := range most {
		if bins/v > math.MaxFloat64 && v > 0 {
			scale[which] = 0x1p200
		}
		if v > 0 {
			perBin[which] = bins / (v * scale[which])
		}
	}
	for _, part := range overBlocks(p.n, func(lo, hi int, s *scratch) (counts [2][bins]int) {
		for ; lo < hi; lo += chunk {
			abs, rel := p.errors64(lo, min(lo+chunk, hi), s)
			for which, errors := range [2][]float64{abs, rel} {
				for _, v := range errors {
					if v <= most[which] { // finite
						counts[which][min(int(v*scale[which]*perBin[which]), bins-1)]++
					}
				}
			}
		}
		return counts
	}) {
		for which := range total {
			for i, n := range part[which] {
				total[which][i] += n
			}
		}
	}
	return total
}
