package compare

// sums contains the maxima and the sums of the absolute and relative errors of a range of elements.
// If an error is NaN, so are its maximum and its sum.
type sums struct {
	absMax, relMax float64
	absSum, relSum float64
}

// sums computes the maxima and sums for elements [lo,hi).
func (p *pair) sums(lo, hi int, s *scratch) (total sums) {
	var of [2]errorTotals
	for ; lo < hi; lo += chunk {
		if p.wide {
			p.errorsAndTotals64(lo, min(lo+chunk, hi), s, &of)
		} else {
			p.errorsAndTotals(lo, min(lo+chunk, hi), s, &of)
		}
	}
	total.absMax, total.absSum = of[0].all()
	total.relMax, total.relSum = of[1].all()
	return total
}

// totals computes the maxima and sums for the whole pair. The result does not depend on the number
// of workers.
func (p *pair) totals() (total sums) {
	for _, part := range overBlocks(p.n, p.sums) {
		total.absMax = max(total.absMax, part.absMax)
		total.relMax = max(total.relMax, part.relMax)
		total.absSum += part.absSum
		total.relSum += part.relSum
	}
	return total
}
