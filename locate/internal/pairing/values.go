package pairing

import (
	"cmp"
	"math"
	"slices"
)

// byValues pairs tensors that have the same values. Among several candidates, the closest wins.
// However, a candidate from the same operator wins even if it is a hundred times as far away,
// because in a residual network a block may almost repeat its input. If neither the values nor the
// operators decide, a candidate with the same name wins, then one with the same element type, then
// the first in graph order.
//
// The outputs are already paired, and no tensor is paired twice. Otherwise a node that wrongly
// returns a copy of another tensor would be paired with that tensor's counterpart, and look
// correct.
func (m *matching) byValues() {
	sizes := map[int][]string{}
	for _, name := range m.e.Computed() {
		if s := m.e.Sketches[name]; s.Distinctive() {
			sizes[s.Elements] = append(sizes[s.Elements], name)
		}
	}
	var list []candidate
	for _, a := range m.a.Computed() {
		s := m.a.Sketches[a]
		if !s.Distinctive() || m.a.output[a] {
			continue
		}
		for _, e := range sizes[s.Elements] {
			if c := m.cost(a, e); !math.IsInf(c, 1) {
				list = append(list, candidate{a, e, c})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.cost, y.cost) })
	firm, held := map[string]bool{}, m.taken() // actual and expected tensors in pairs
	for _, c := range list {
		if held[c.expected] || firm[c.actual] {
			continue
		}
		firm[c.actual], held[c.expected] = true, true
		by := Values
		switch {
		case c.actual == c.expected:
			by = Name
		case m.sameOp(c.actual, c.expected):
			by = Structure
		}
		m.add(c.actual, c.expected, by)
	}
}

// candidate is a pair of tensors with similar values.
type candidate struct {
	actual, expected string
	cost             float64
}

// cost returns how badly two tensors fit by their values. It is +Inf if they do not fit at all.
func (m sides) cost(a, e string) float64 {
	s, t := m.a.Sketches[a], m.e.Sketches[e]
	d := s.Distance(t)
	if !(d <= Near(m.a, m.e, e)) || !s.Shape.Equal(t.Shape) {
		return math.Inf(1)
	}
	cost := float64(math.Log10(max(d, 1e-6)))
	if !m.sameOp(a, e) {
		cost += 2
	}
	if a != e {
		cost += 0.5
	}
	if s.Type != t.Type {
		cost += 0.25
	}
	if m.a.Integers.quantizedTo(a).clips(t) { // a folded Relu costs as much as a different operator
		cost += 2
	}
	return cost
}

// sameOp reports whether the operators that compute two tensors have the same class.
func (m sides) sameOp(a, e string) bool {
	n, o := m.a.Made(a), m.e.Made(e)
	return n != nil && o != nil && Class(n.Op) == Class(o.Op)
}

// sameShape reports whether two tensors have the same shape. It also returns true if either shape
// is unknown.
func (m sides) sameShape(a, e string) bool {
	s, t := m.a.Sketches[a], m.e.Sketches[e]
	return s == nil || t == nil || s.Shape.Equal(t.Shape) && s.Elements == t.Elements
}

// likeness returns the similarity of two tensors, from 0 (different or unknown) to 1.
func (m sides) likeness(a, e string) float64 {
	d := m.a.Sketches[a].Distance(m.e.Sketches[e])
	return max(0, 1-d)
}
