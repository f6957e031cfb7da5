package compare

import "math"

// sums contains the maxima and the sums of the absolute and relative errors of a range of elements.
// If an error is NaN, so are its maximum and its sum.
type sums struct {
	absMax, relMax float64
	absSum, relSum float64
}

// sums computes the maxima and sums for elements [lo,hi).
func (p *pair) sums(lo, hi int, s *scratch) sums {
	var total [2]lanes
	if p.wide {
		var absMax, relMax float64
		for ; lo < hi; lo += strip {
			abs, rel := p.errors64(lo, min(lo+strip, hi), s)
			a, r := fold64(abs, rel, &total)
			absMax, relMax = max(absMax, a), max(relMax, r)
		}
		return sums{absMax, relMax, total[0].sum(), total[1].sum()}
	}
	var absMax, relMax float32
	for ; lo < hi; lo += strip {
		_, _, most := p.foldedErrors(lo, min(lo+strip, hi), s, &total)
		absMax, relMax = max(absMax, most[0]), max(relMax, most[1])
	}
	return sums{float64(absMax), float64(relMax), total[0].sum(), total[1].sum()}
}

// totals computes the maxima and sums for the whole pair. The result does not depend on the number
// of workers.
func (p *pair) totals() (total sums) {
	for _, part := range overBlocks(p.n, p.sums) {
		total.absMax = math.Max(total.absMax, part.absMax)
		total.relMax = math.Max(total.relMax, part.relMax)
		total.absSum += part.absSum
		total.relSum += part.relSum
	}
	return total
}

// fold64 adds float64 errors to the sums and returns the largest absolute and the largest relative
// error.
func fold64(abs, rel []float64, sums *[2]lanes) (absMost, relMost float64) {
	return foldGo(abs, 0, &sums[0]), foldGo(rel, 0, &sums[1])
}
