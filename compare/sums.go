package compare

import "math"

// sums is the maximum and the sum of both errors over some elements. NaN wins in both.
type sums struct {
	absMax, relMax float64
	absSum, relSum float64
}

// sums folds elements [lo,hi).
func (p *pair) sums(lo, hi int, s *scratch) (total sums) {
	for ; lo < hi; lo += strip {
		end := min(lo+strip, hi)
		if p.wide {
			abs, rel := p.errors64(lo, end, s)
			total.add(sums{maximum(abs), maximum(rel), sum(abs), sum(rel)})
		} else {
			abs, rel := p.errors32(lo, end, s)
			total.add(sums{maximum(abs), maximum(rel), sum(abs), sum(rel)})
		}
	}
	return total
}

// totals is the sums of the whole pair, the same for every number of workers.
func (p *pair) totals(workers int) (total sums) {
	for _, part := range overBlocks(p.n, workers, p.sums) {
		total.add(part)
	}
	return total
}

func (t *sums) add(part sums) {
	t.absMax, t.relMax = math.Max(t.absMax, part.absMax), math.Max(t.relMax, part.relMax)
	t.absSum += part.absSum
	t.relSum += part.relSum
}

// maximum of numbers that are not negative: 0 for none, NaN if there is one.
func maximum[F float32 | float64](values []F) float64 {
	var most F
	for _, v := range values {
		if !(v <= most) {
			most = v
			if v != v {
				return nan
			}
		}
	}
	return float64(most)
}

// sum adds in four chains, which is faster than one and as reproducible.
func sum[F float32 | float64](values []F) float64 {
	var s0, s1, s2, s3 float64
	for ; len(values) >= 4; values = values[4:] {
		s0 += float64(values[0])
		s1 += float64(values[1])
		s2 += float64(values[2])
		s3 += float64(values[3])
	}
	for _, v := range values {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}
