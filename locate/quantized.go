package locate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// weighing counts pairs, and determines how much error each node adds in quantized models.
type weighing struct {
	found *Finding
	runs  *runner
	pairs *pairs
	judge *judging
}

// count counts the pairs by the method that found them.
func (w *weighing) count() {
	m := w.pairs.matched
	c := &Pairing{Actual: len(m.actual.Computed()), Expected: len(m.expected.Computed()),
		Dropped: m.dropped}
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if !m.actual.Fed(p.Tensor) {
			continue
		}
		c.Paired++
		switch p.Pairing {
		case pairing.Name:
			c.Name++
		case pairing.Structure:
			c.Structure++
		case pairing.Values:
			c.Values++
		case pairing.Interface:
			c.Interface++
		}
	}
	inOrder := func(a, b string) int { return w.pairs.producer[a] - w.pairs.producer[b] }
	slices.SortFunc(c.Dropped, inOrder)
	slices.SortFunc(w.found.OnlyActual, inOrder)
	w.found.Pairing = c
}

// coarse reports whether a model computes in a lower precision than float32, so that every node
// adds some error.
func (m *matched) coarse() bool { return m.quantized || m.rounding > 0x1p-24 }

// ratios computes each row's SQNR and OverScale.
func (w *weighing) ratios() {
	m := w.pairs.matched
	if m == nil || !m.coarse() {
		return
	}
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if e := float64(p.Error); e > 0 && !math.IsInf(e, 1) {
			db := Number(-20 * math.Log10(e))
			p.SQNR = &db
		}
		scale, quantized := m.actual.Integers.Scale(p.Tensor)
		rms, known := m.expected.RMS(w.pairs.called(p.Tensor))
		if quantized && scale > 0 && known {
			e := float64(p.Error)
			if p.Own != nil {
				e = float64(p.Own.Error)
			}
			over := Number(e * rms / scale)
			p.OverScale = &over
		}
	}
}

// weights adds a point for each quantized weight, before the points of its node, so that the
// weight's rounding error is separate from the node's error.
func (w *weighing) weights() error {
	m := w.pairs.matched
	if m == nil || !m.quantized {
		return nil
	}
	m.weights = map[string]bool{}
	for _, q := range m.actual.Integers.Weights() {
		if _, shown := w.pairs.row[q.Name]; shown {
			continue // the weight of a Constant node is paired by name
		}
		n := &w.pairs.nodes[q.Node]
		before, name := w.before(n, q)
		expected, got, err := w.turned(q.Values, before)
		if errors.As(err, new(*compare.Powerless)) || err == nil && expected == nil {
			continue
		}
		if err != nil {
			return err
		}
		over := 0.0
		for i, scale := range q.Scale {
			off := (q.Values.Float64At(i) - expected.Float64At(i)) / scale
			over += off * off / float64(len(q.Scale))
		}
		p := Point{Tensor: q.Name, Expected: name, Pairing: pairing.Name, Node: n.Name, Op: n.Op,
			Module: n.Module, Source: n.Source, Index: q.Node, Type: q.Type, Shape: q.Values.Shape(),
			Verdict: got.verdict, Reason: got.reason, Abs: got.abs, Rel: got.rel, Error: got.err,
			Growth: nan, Own: &Own{Verdict: got.verdict, Reason: got.reason, Abs: got.abs,
				Rel: got.rel, Error: got.err}}
		root := Number(math.Sqrt(over))
		p.OverScale = &root
		at := slices.IndexFunc(w.found.Tensors, func(o Point) bool { return o.Index >= q.Node })
		if at < 0 {
			at = len(w.found.Tensors)
		}
		w.found.Tensors = slices.Insert(w.found.Tensors, at, p)
		m.weights[q.Name] = true
		w.pairs.index()
	}
	return nil
}

// turned compares a weight with its original and with the original transposed, because the
// quantizer converts a Gemm to a MatMul. It returns the closer one, or nil if neither has the same
// shape.
func (w *weighing) turned(actual, before *tensor.Tensor) (best *tensor.Tensor, m measured,
	err error) {
	for _, t := range []*tensor.Tensor{before, transposed(before)} {
		if t == nil || !t.Shape().Equal(actual.Shape()) {
			continue
		}
		got, err := w.judge.measureOne(actual, t)
		if err != nil {
			return nil, m, err
		}
		if best == nil || got.err < m.err {
			best, m = t, got
		}
	}
	return best, m, nil
}

// transposed returns the transposed matrix, in float32. It returns nil if t is not a matrix.
func transposed(t *tensor.Tensor) *tensor.Tensor {
	if t == nil || len(t.Shape()) != 2 {
		return nil
	}
	rows, columns := t.Shape()[0], t.Shape()[1]
	values := make([]float32, t.Len())
	for i := range rows {
		for j := range columns {
			values[j*rows+i] = float32(t.Float64At(i*columns + j))
		}
	}
	turned, _ := tensor.New(tensor.Shape{columns, rows}, values) // the size is unchanged
	return turned
}

// before returns the weight on the expected side from which q was quantized, and its name if known.
// It is found by its name or through the node's counterpart.
func (w *weighing) before(n *loaders.Node, q pairing.QuantizedWeight) (*tensor.Tensor, string) {
	expected := w.pairs.matched.expected
	if q.Was != q.Name && expected.HasWeight(q.Was) {
		if t, err := expected.Weight(q.Was); err == nil {
			return t, q.Was
		}
	}
	for _, output := range n.Outputs {
		if _, paired := w.pairs.row[output]; paired {
			return expected.WeightOf(w.pairs.called(output), q.Class), ""
		}
	}
	return nil, ""
}

// mostAdds is the maximum length of Finding.Adds.
const mostAdds = 10

// rank sorts tensors by the errors that their own nodes add.
func (w *weighing) rank() {
	var rows []*Point
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; p.Own != nil && p.Own.Verdict == compare.Fail &&
			p.weight() > 0 {
			rows = append(rows, p)
		}
	}
	slices.SortStableFunc(rows, func(a, b *Point) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, p := range rows[:min(len(rows), mostAdds)] {
		w.found.Adds = append(w.found.Adds, p.Tensor)
	}
}

// spread summarizes a difference that no single place explains.
func (r *Finding) spread() string {
	text := "the outputs differ, and no single place explains it"
	if len(r.Adds) == 0 {
		return text + ": no node is out of tolerance alone by more than rounding"
	}
	return text + ": many nodes add to it, each by the precision of its type"
}

// adds formats Finding.Adds in one line.
func (r *Finding) adds() string {
	const most = 5
	var list []string
	for _, name := range r.Adds[:min(len(r.Adds), most)] {
		for i := range r.Tensors {
			if p := &r.Tensors[i]; p.Tensor == name {
				list = append(list, fmt.Sprintf("%s %s (%s)", p.Op, quoted(name), p.Own.Error))
			}
		}
	}
	return "greatest own errors: " + strings.Join(list, ", ")
}
