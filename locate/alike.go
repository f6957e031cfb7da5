package locate

import (
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// handsOnAlike reports whether a node merely hands on its input: its output, the named actual
// tensor, has the input's elements in the same order. This is so for reshapes, and for a Transpose
// that moves nothing.
func (w *narrowing) handsOnAlike(s *stretch, name string) bool {
	n := &w.pairs.nodes[w.pairs.producer[name]]
	if n.Op != "Transpose" {
		return pairing.Reshapes(n.Op)
	}
	mine, given := all(s.own, name), all(s.own, n.Inputs[0])
	for _, source := range s.sources {
		if source.name == n.Inputs[0] {
			given = source.values
		}
	}
	if mine == nil || given == nil {
		return false
	}
	alike, err := w.equal(name, mine, given)
	return alike && err == nil
}

// twin returns a pair of the named actual tensor and an expected tensor that equals it, if both
// have the same shape and come from the same operator. Otherwise it returns nil. An Identity has no
// twin, because any operator may correspond to it.
func (w *narrowing) twin(s *stretch, name string) []pairing.Pair {
	n, mine := &w.pairs.nodes[w.pairs.producer[name]], all(s.own, name)
	if n.Op == "Identity" {
		return nil
	}
	for _, candidate := range slices.Concat(s.expected, s.repeats) {
		theirs, made := all(s.values, candidate), w.pairs.matched.expected.Made(candidate)
		if made == nil || made.Op != n.Op || mine == nil || theirs == nil ||
			!mine[0].Shape().Equal(theirs[0].Shape()) || !w.comparable(name, mine, theirs) {
			continue
		}
		if ok, err := w.equal(name, mine, theirs); ok && err == nil {
			return []pairing.Pair{{Actual: name, Expected: candidate, By: pairing.Structure}}
		}
	}
	return nil
}

// readTwice reports whether another node in p's stretch reads the first input of the node that
// computes the named tensor.
func (w *narrowing) readTwice(name string, p *Point) bool {
	at := w.pairs.producer[name]
	return slices.ContainsFunc(w.pairs.between(p.Tensor), func(i int) bool {
		return i != at && slices.Contains(w.pairs.nodes[i].Inputs, w.pairs.nodes[at].Inputs[0])
	})
}

// elsewhere reports whether an actual tensor equals some expected tensor. If so, the tensor is
// correct but may be read in the wrong place.
func (w *narrowing) elsewhere(s *stretch, name string) bool {
	mine := &pairing.Sketch{}
	for _, t := range all(s.own, name) {
		mine.Add(t)
	}
	return mine.Telling() && w.pairs.matched.expected.Sketches.Has(mine)
}

// comparable reports whether an expected tensor may be a counterpart of an actual tensor: its
// values must be informative, and both tensors must have the same number of elements.
func (w *narrowing) comparable(name string, mine, theirs []*tensor.Tensor) bool {
	for i := range mine {
		a, e := mine[i], theirs[i]
		if a.ElementType().IsFloat() != e.ElementType().IsFloat() ||
			!a.ElementType().IsFloat() && a.ElementType() != e.ElementType() {
			return false
		}
		if a.Len() != e.Len() && len(a.Shape()) != len(e.Shape()) {
			return false
		}
	}
	return true
}

// equal reports whether an actual and an expected tensor are equal up to rounding.
func (w *narrowing) equal(name string, mine, theirs []*tensor.Tensor) (bool, error) {
	list := make([]*tensor.Tensor, len(theirs))
	for i, t := range theirs {
		if t.Len() != mine[i].Len() {
			return false, nil
		}
		var err error
		if list[i], err = t.Reshape(mine[i].Shape()); err != nil {
			return false, err
		}
	}
	m, err := w.judged.measure(nil, mine, list)
	if err != nil {
		return false, nil // the rule cannot compare these tensors
	}
	return m.verdict == compare.Pass || float64(m.err) <= fewRoundings*w.pairs.matched.rounding, nil
}
