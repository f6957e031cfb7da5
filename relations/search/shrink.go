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
// tries every position; for other sizes, only the start and the end of the axis.
func (s *shrinking) smaller() error {
	done := map[string]bool{}
	for _, v := range s.inputs {
		for axis, d := range v.Dims {
			if !d.Dynamic() || d.Symbol != "" && done[d.Symbol] || axis >= len(s.best.shapes[v.Name]) {
				continue
			}
			done[d.Symbol] = true
			length := s.best.shapes[v.Name][axis]
			for _, part := range parts(length) {
				n := s.best.clone(s.best.how)
				for _, w := range s.inputs {
					for i, other := range w.Dims {
						same := w.Name == v.Name && i == axis || d.Symbol != "" && other.Symbol == d.Symbol
						if same && i < len(n.shapes[w.Name]) && n.shapes[w.Name][i] == length {
							n.cut(w.Name, i, part[0], part[1])
						}
					}
				}
				if smaller, err := s.try(n); err != nil {
					return err
				} else if smaller {
					break
				}
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
		first := begin + start*inner
		values = append(values, c.values[name][first:first+size*inner]...)
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
