package search

import (
	"math"
	"slices"
)

// shrink simplifies the inputs on which the sides differ, as long as they still differ: fewer
// elements along dynamic dimensions, zeros, and rounder numbers.
func (h *hunt) shrink(found *candidate) error {
	trials, refused := h.found.Trials, h.found.Refused
	defer func() { h.found.Trials, h.found.Refused = trials, refused }()
	s := &shrinking{h, found}
	for _, step := range []func() error{s.smaller, s.zeroed, s.rounder} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// shrinking is the state of simplifying inputs. best is the simplest candidate so far on which the
// sides differ.
type shrinking struct {
	*hunt
	best *candidate
}

// try makes a candidate the best one if the sides differ on it, and reports whether they do. If no
// time is left, it returns false.
func (s *shrinking) try(c *candidate) (differ bool, err error) {
	if !s.inTime() {
		return false, nil
	}
	if differ, err = s.hunt.try(c); differ {
		s.best = c
	}
	return differ, err
}

// smaller tries every smaller size of each dynamic dimension, the smallest first. For size 1, it
// tries every position; for other sizes, only the start and the end of the axis. Sums of dimensions
// shrink with their parts.
func (s *shrinking) smaller() error {
	var free []dimension // whose sizes do not follow from others
	before := resized(s.inputs, s.best.shapes, func(d dimension) int {
		free = append(free, d)
		return s.best.shapes[d.input][d.axis]
	})
	for _, d := range free {
		for _, part := range parts(before[d.input][d.axis]) {
			after := resized(s.inputs, before, func(other dimension) int {
				if other == d {
					return part[1]
				}
				return before[other.input][other.axis]
			})
			n := s.best.clone(s.best.how)
			for name, shape := range s.best.shapes {
				for axis, size := range shape {
					// Sizes that the given inputs set differently for the same name remain.
					if size == before[name][axis] && after[name][axis] < size {
						n.cut(name, axis, part[0], after[name][axis])
					}
				}
			}
			if smaller, err := s.try(n); err != nil {
				return err
			} else if smaller {
				before = after
				break
			}
		}
	}
	return nil
}

// parts returns the ranges of an axis that [shrinking.smaller] tries, as start and length.
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
		values = append(values, c.values[name][begin+start*inner:][:size*inner]...)
	}
	c.shapes[name], c.values[name] = smaller, values
}

// zeroed replaces ranges of elements by zeros, first all elements and then shorter and shorter
// ranges.
func (s *shrinking) zeroed() error {
	for _, name := range s.best.names() {
		n := len(s.best.values[name])
		for length := n; length > 0; length /= 2 {
			for from := 0; from < n; from += length {
				c := s.best.clone(s.best.how)
				values := c.values[name][from:min(from+length, n)]
				if !slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) {
					continue
				}
				clear(values)
				if _, err := s.try(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rounder replaces elements by rounder numbers: 1, integers, powers of two.
func (s *shrinking) rounder() error {
	for _, name := range s.best.names() {
		for i, v := range s.best.values[name] {
			if v == 0 {
				continue
			}
			fraction, exponent := math.Frexp(v)
			for _, simple := range []float64{1, math.Round(v),
				math.Copysign(math.Ldexp(0.5, exponent), fraction)} {
				if simple == v {
					break
				}
				c := s.best.clone(s.best.how)
				c.values[name][i] = simple
				if differ, err := s.try(c); err != nil {
					return err
				} else if differ {
					break
				}
			}
		}
	}
	return nil
}
