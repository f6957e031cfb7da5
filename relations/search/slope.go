package search

import (
	"cmp"
	"math"
)

// Measuring a gradient takes one trial per float, so the search uses gradients only for inputs with
// at most mostSlopes floats.
const (
	mostSlopes = 64
	climbs     = 8 // the number of gradients to follow from one candidate
)

// climb starts at the candidate with the largest error and follows the gradient of the error, which
// it computes from finite differences. Steps double as long as the error grows. Gradients take
// about a quarter of all trials at most. climb returns a candidate on which the sides differ, or
// nil if it finds none.
func (h *hunt) climb() (*candidate, error) {
	began := h.found.tried()
	if len(h.best) == 0 || h.best[0].climbed || 4*h.slopes > began {
		return nil, nil
	}
	from := h.best[0]
	from.climbed = true
	if math.IsInf(from.error, 1) || h.floats(from) > mostSlopes {
		return nil, nil
	}
	defer func() { h.slopes += h.found.tried() - began }()
	for range climbs {
		slope, found, err := h.slope(from)
		if found != nil || err != nil || slope == nil {
			return found, err
		}
		higher := from
		for step := h.scale(from) / 64; h.going(); step *= 2 {
			n := from.next("climbed")
			for name, d := range slope {
				fill(n.values[name], func(i int) float64 { return from.values[name][i] + float64(step*d[i]) })
			}
			if differ, err := h.try(n); differ || err != nil {
				return n, err
			}
			if n.error <= higher.error {
				break
			}
			higher = n
		}
		if higher == from {
			break
		}
		from = higher
	}
	return nil, nil
}

// floats counts the elements of float inputs.
func (h *hunt) floats(c *candidate) (n int) {
	for _, v := range h.inputs {
		if v.Type.IsFloat() {
			n += len(c.values[v.Name])
		}
	}
	return n
}

// scale returns the largest magnitude of the candidate's floats, or 1 if all are 0.
func (h *hunt) scale(c *candidate) float64 {
	largest := 0.0
	for _, v := range h.inputs {
		for _, x := range c.values[v.Name] {
			if v.Type.IsFloat() && !math.IsInf(x, 0) {
				largest = max(largest, math.Abs(x))
			}
		}
	}
	return cmp.Or(largest, 1)
}

// slope returns the error's gradient at some inputs, scaled to a maximum of 1, or nil if it is zero
// or the search ends. If the search finds a difference on the way, slope returns the inputs that
// show it instead.
func (h *hunt) slope(from *candidate) (map[string][]float64, *candidate, error) {
	step := float64(h.scale(from) / 64)
	slope, steepest := map[string][]float64{}, 0.0
	for _, v := range h.inputs {
		if !v.Type.IsFloat() {
			continue
		}
		slope[v.Name] = make([]float64, len(from.values[v.Name]))
		for i := range slope[v.Name] {
			if !h.going() {
				return nil, nil, nil
			}
			n := from.next("climbed")
			n.values[v.Name][i] += step
			if differ, err := h.try(n); differ || err != nil {
				return nil, n, err
			}
			if d := n.error - from.error; !math.IsInf(d, 0) {
				slope[v.Name][i] = d
				steepest = max(steepest, math.Abs(d))
			}
		}
	}
	if steepest == 0 {
		return nil, nil, nil
	}
	for _, values := range slope {
		fill(values, func(i int) float64 { return values[i] / steepest })
	}
	return slope, nil, nil
}
