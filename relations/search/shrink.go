package search

import (
	"math"
	"slices"
)

// shrink simplifies the inputs on which the sides differ, as long as they still differ: fewer graph
// edits, fewer elements along dynamic dimensions, zeros, rounder numbers, and once more fewer
// edits.
func (h *hunt) shrink(c *candidate) (*candidate, error) {
	trials, refused := h.found.Trials, h.found.Refused
	defer func() { h.found.Trials, h.found.Refused = trials, refused }()
	best := c
	keep := func(n *candidate) (bool, error) {
		set, report := h.found.Inputs, h.found.Report
		parts, err := h.try(n)
		if parts {
			best = n
		} else {
			h.found.Inputs, h.found.Report = set, report
		}
		return parts, err
	}
	for _, step := range []func(*candidate, func(*candidate) (bool, error)) error{
		h.dropEdits, h.smaller, h.zeroed, h.rounder, h.dropEdits} {
		if err := step(best, func(n *candidate) (bool, error) {
			if !h.inTime() {
				return false, nil
			}
			return keep(n)
		}); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// smaller tries every smaller size of each dynamic dimension, the smallest first. For size 1, it
// tries every position; for other sizes, only the start and the end of the axis.
func (h *hunt) smaller(c *candidate, keep func(*candidate) (bool, error)) error {
	done := map[string]bool{}
	for _, v := range h.inputs {
		for axis, d := range v.Dims {
			if !d.Dynamic() || d.Symbol != "" && done[d.Symbol] || axis >= len(c.shapes[v.Name]) {
				continue
			}
			done[d.Symbol] = true
			length := c.shapes[v.Name][axis]
			for _, part := range parts(length) {
				n := c.clone(c.how)
				for _, w := range h.inputs {
					for i, other := range w.Dims {
						same := w.Name == v.Name && i == axis || d.Symbol != "" && other.Symbol == d.Symbol
						if same && i < len(n.shapes[w.Name]) && n.shapes[w.Name][i] == length {
							n.cut(w.Name, i, part[0], part[1])
						}
					}
				}
				smaller, err := keep(n)
				if err != nil {
					return err
				}
				if smaller {
					c = n
					break
				}
			}
		}
	}
	return nil
}

// parts returns the ranges of an axis that [hunt.smaller] tries, as start and length.
func parts(length int) (list [][2]int) {
	for size := 1; size < length; size++ {
		for from := 0; from+size <= length; from++ {
			if size == 1 || from == 0 || from+size == length {
				list = append(list, [2]int{from, size})
			}
		}
	}
	return list
}

// cut keeps size elements of an input along an axis, beginning at index start, and drops the
// others.
func (c *candidate) cut(name string, axis, start, size int) {
	shape := c.shapes[name]
	smaller := slices.Clone(shape)
	smaller[axis] = size
	values := make([]float64, 0, count(smaller))
	inner := count(shape[axis+1:])
	for begin := 0; begin < len(c.values[name]); begin += shape[axis] * inner {
		first := begin + start*inner
		values = append(values, c.values[name][first:first+size*inner]...)
	}
	c.shapes[name], c.values[name] = smaller, values
}

// zeroed replaces ranges of elements by zeros, first all elements and then shorter and shorter
// ranges.
func (h *hunt) zeroed(c *candidate, keep func(*candidate) (bool, error)) error {
	for _, name := range c.names() {
		n := len(c.values[name])
		for length := n; length > 0; length /= 2 {
			for from := 0; from < n; from += length {
				to := min(from+length, n)
				if !slices.ContainsFunc(c.values[name][from:to], func(v float64) bool { return v != 0 }) {
					continue
				}
				try := c.clone(c.how)
				clear(try.values[name][from:to])
				parts, err := keep(try)
				if err != nil {
					return err
				}
				if parts {
					c = try
				}
			}
		}
	}
	return nil
}

// rounder replaces elements by rounder numbers: 1, integers, powers of two.
func (h *hunt) rounder(c *candidate, keep func(*candidate) (bool, error)) error {
	for _, name := range c.names() {
		for i, v := range c.values[name] {
			if v == 0 {
				continue
			}
			fraction, exponent := math.Frexp(v)
			for _, simple := range []float64{1, math.Round(v),
				math.Copysign(math.Ldexp(0.5, exponent), fraction)} {
				if simple == v {
					break
				}
				n := c.clone(c.how)
				n.values[name][i] = simple
				parts, err := keep(n)
				if err != nil {
					return err
				}
				if parts {
					c = n
					break
				}
			}
		}
	}
	return nil
}
