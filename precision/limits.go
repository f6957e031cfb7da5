package precision

import (
	"math"
	"slices"
)

// limits returns, for each output, a limit on the predicted squared error. Sets of nodes within all
// limits are expected to pass. tried is a set that was checked. The limit of an output is its
// predicted squared error for tried, times (margin/needs)². The margin of an output is the factor
// by which the output's differences could grow before the rule fails. needs is the smallest margin
// with which a set passes ([searching.needs]).
func (w *searching) limits(tried []bool) []float64 {
	predicted, margins := w.predicted.errors(tried), w.result(tried).Margins
	list := make([]float64, len(predicted))
	for o, p := range predicted {
		switch m := float64(margins[o]); {
		case math.IsInf(m, 1):
			list[o] = math.MaxFloat64
		case p > 0 && !math.IsInf(p, 1):
			list[o] = p * (m / w.needs()) * (m / w.needs())
		case m >= w.needs(): // no error is predicted and the rule passes
			list[o] = math.MaxFloat64
		}
	}
	return list
}

func scaledBy(limits []float64, factor float64) []float64 {
	list := make([]float64, len(limits))
	for o, v := range limits {
		list[o] = v * factor
	}
	return list
}

// forced returns the nodes that must always stay in float32. Each of them makes an output infinite
// or NaN even if all other nodes compute in float32.
func (w *searching) forced() []bool {
	limits := slices.Repeat([]float64{math.MaxFloat64}, len(w.names))
	return w.predicted.shrink(limits, all(len(w.network.steps)))
}

// part returns the error of the worst output when only compute node j computes in the format. The
// result is a fraction of the error that the rule allows.
func (w *searching) part(j int, limits []float64) float64 {
	part := 0.0
	for o, e := range w.own[j] {
		if e > 0 && limits[o] < math.MaxFloat64 || math.IsInf(e, 1) {
			part = max(part, e/math.Sqrt(limits[o]))
		}
	}
	return part
}

// finite replaces infinity and NaN by -1, because JSON cannot represent them.
func finite(v float64) float64 {
	if v-v != 0 {
		return -1
	}
	return v
}
