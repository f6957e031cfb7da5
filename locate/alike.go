package locate

import (
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// handsOnAlike reports whether the node that computes the named actual tensor only copies its first
// input, with the same elements in the same order. Reshapes do, and so does a Transpose that
// changes nothing.
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
	return mine != nil && given != nil && w.equal(mine, given)
}

// readTwice reports whether the first input of the node that computes the named tensor is also read
// by another node. It looks only at the nodes that compute p's tensor from p's sources.
func (w *narrowing) readTwice(name string, p *Point) bool {
	at := w.pairs.producer[name]
	return slices.ContainsFunc(w.pairs.between(p.Tensor), func(i int) bool {
		return i != at && slices.Contains(w.pairs.nodes[i].Inputs, w.pairs.nodes[at].Inputs[0])
	})
}

// comparable reports whether an expected tensor may be the counterpart of an actual tensor. Their
// element types must be the same, unless both are floats. The tensors must also have the same
// number of elements or the same number of axes.
func comparable(mine, theirs []*tensor.Tensor) bool {
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
func (w *narrowing) equal(mine, theirs []*tensor.Tensor) bool {
	list := make([]*tensor.Tensor, len(theirs))
	for i, t := range theirs {
		var err error
		if list[i], err = t.Reshape(mine[i].Shape()); err != nil {
			return false // the numbers of elements differ
		}
	}
	m, err := w.judged.measure(nil, mine, list)
	return err == nil && (m.Verdict == compare.Pass ||
		float64(m.Error) <= fewRoundings*w.pairs.matched.rounding)
}
