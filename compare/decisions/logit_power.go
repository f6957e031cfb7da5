package decisions

import "math"

// hypothetical describes a run that was not made: how far its logits are from the expected logits,
// and whether the same tokens have the largest logits. The function surprise takes the expected
// run's −ln p and returns the hypothetical run's −ln p. p is the probability of the next token.
type hypothetical struct {
	distance float64
	same     bool
	surprise func(expected float64) float64
}

// equalRun is equal to the expected run, and wrongRuns are as wrong as a run can be. A limit proves
// something only if at least one of wrongRuns violates it.
var (
	equalRun  = hypothetical{0, true, func(expected float64) float64 { return expected }}
	wrongRuns = []hypothetical{
		{inf, false, func(float64) float64 { return inf }},
		{0, true, func(float64) float64 { return 0 }},
		{inf, false, func(expected float64) float64 { // as far from the probability as possible
			if expected > math.Ln2 {
				return 0
			}
			return inf
		}},
	}
)

// tableIf returns the statistics that a hypothetical run would have at the given positions.
func tableIf(all []position, run hypothetical) *LogitTable {
	other := make([]position, len(all))
	for i, p := range all {
		q := &other[i]
		*q = position{next: p.next, actual: 1, expected: one(run.same), divergence: run.distance}
		for k := range q.slices {
			q.slices[k] = run.distance
		}
		if p.next >= 0 {
			q.surprise = [2]float64{run.surprise(p.surprise[1]), p.surprise[1]}
			q.probability = math.Exp(-q.surprise[0]) - math.Exp(-q.surprise[1])
		}
	}
	return tableOf(other)
}
