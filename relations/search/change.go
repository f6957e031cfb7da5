package search

import "math"

// change returns a copy of a candidate with a random modification of each float input. The
// modification changes one element, exchanges two elements, or multiplies all elements by factors.
func (h *hunt) change(c *candidate) *candidate {
	n := c.next("changed")
	for _, v := range h.inputs {
		values := n.values[v.Name]
		if len(values) == 0 || !v.Type.IsFloat() {
			continue
		}
		at := h.random.IntN(len(values))
		switch h.random.IntN(7) {
		case 0:
			factor := math.Ldexp(1, h.random.IntN(9)-4)
			fill(values, func(i int) float64 { return values[i] * factor })
		case 1:
			values[at] = h.special(v.Type)
		case 2:
			values[at] = -values[at]
		case 3:
			values[at] += float64(math.Ldexp(h.random.NormFloat64(), h.random.IntN(9)-6) *
				max(math.Abs(values[at]), 0x1p-20))
		case 4:
			values[at] = values[h.random.IntN(len(values))]
		case 5:
			spread := math.Ldexp(1, -h.random.IntN(12))
			fill(values, func(i int) float64 {
				return values[i] * (1 + float64(spread*h.random.NormFloat64()))
			})
		case 6:
			from := h.random.IntN(len(values))
			values[at], values[from] = values[from], values[at]
		}
	}
	return n
}
