package decisions

import "math"

// imaginary describes an invented run, with which a test finds out whether a limit can fail. It
// contains the distance of the run's logits from the expected logits, whether the same tokens lead,
// and a function that returns −ln of the probability that the run assigns to the next token.
type imaginary struct {
	distance float64
	same     bool
	surprise func(expected float64) float64
}

// A limit proves something only if at least one of wrongRuns violates it.
var (
	equalRun  = imaginary{0, true, func(expected float64) float64 { return expected }}
	wrongRuns = []imaginary{
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

// imagined returns the statistics that an invented run would have at the given positions.
func imagined(all []position, run imaginary) *LogitTable {
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
