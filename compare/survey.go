package compare

import (
	"math"
	"unsafe"
)

// survey is what one more pass over both errors finds.
type survey struct {
	values [2][]float64 // at the ranks that were asked for
	above  [2][]int     // how many errors are not below each edge, NaN among them
}

// survey finds the errors at pairs of neighbouring ranks, by way of a sample where there are many,
// and counts how many are not below some edges, which are keys of the errors' width.
func (p *pair) survey(ranks [2][]int, edges [2][]uint64, workers int, drawn *sample) survey {
	s, found := p.sampledSurvey(ranks, edges, workers, drawn)
	switch {
	case found:
	case p.n <= sortable:
		s.values, _ = p.sorted(ranks)
	default:
		s.values = p.counted(ranks, workers)
	}
	return s
}

// sampledSurvey is survey, and whether it has found all ranks.
func (p *pair) sampledSurvey(ranks [2][]int, edges [2][]uint64, workers int, drawn *sample) (
	survey, bool) {
	if drawn == nil {
		ranks, drawn = [2][]int{}, new(sample)
	}
	if p.wide {
		k := kernels[uint64]{countGo[uint64], sieveGo[uint64]}
		return surveyOf(p.errors64, p.n, ranks, edges, workers, drawn.wide, k,
			func(*[2]*tally[uint64]) stripTally[uint64] { return nil })
	}
	return surveyOf(p.errors32, p.n, ranks, edges, workers, drawn.narrow, kernels32(),
		p.surveyAtOnce)
}

// surveyOf is sampledSurvey for one width of errors.
func surveyOf[K errorKey, F float32 | float64](errors errorStrips[F], n int, ranks [2][]int,
	edges [2][]uint64, workers int, drawn *buffers[K], k kernels[K],
	atOnce func(*[2]*tally[K]) stripTally[K]) (result survey, found bool) {
	ranked := len(ranks[0])+len(ranks[1]) > 0
	if !ranked && len(edges[0])+len(edges[1]) == 0 {
		return result, false
	}
	s := &selection[K]{n: n}
	for which := range s.tallies {
		s.tallies[which] = &tally[K]{kernels: k}
		for _, edge := range edges[which] {
			s.tallies[which].edges = append(s.tallies[which].edges, K(edge))
		}
		if len(edges[which]) == bins-1 {
			s.tallies[which].binned = bins - 1
			s.tallies[which].edge(errorKeyOf[K](math.Inf(1)))
		}
	}
	if ranked {
		s.buffers = drawn
		s.order()
		for which := range ranks {
			for i := 0; i < len(ranks[which]); i += 2 {
				s.want(which, ranks[which][i], ranks[which][i+1])
			}
		}
		s.arrange()
	}
	for which, t := range s.tallies {
		t.part(s.some(which))
	}
	tallyErrors(errors, n, workers, &s.tallies, atOnce)
	for which, t := range s.tallies {
		result.above[which] = t.above[:len(edges[which])]
	}
	if !ranked {
		return result, false
	}
	s.finish()
	for which := range ranks {
		for i, rank := range ranks[which] {
			k, ok := s.at(which, i/2, rank)
			if !ok {
				return result, false
			}
			result.values[which] = append(result.values[which], errorOf(k))
		}
	}
	return result, true
}

// errorKeyOf is the key of a positive number, in the width of K.
func errorKeyOf[K errorKey](v float64) K {
	if unsafe.Sizeof(K(0)) == 8 {
		return K(math.Float64bits(v))
	}
	return K(bits32(float32(v)))
}

// errorOf is the number that a key stands for.
func errorOf[K errorKey](k K) float64 {
	if unsafe.Sizeof(K(0)) == 8 {
		return math.Float64frombits(uint64(k))
	}
	return float64(frombits32(uint32(k)))
}
