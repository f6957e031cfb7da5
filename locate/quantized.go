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

// weighing counts pairs, and says what each node adds in models that are quantized.
type weighing struct {
	found *Finding
	runs  *runner
	pairs *pairs
	judge *judging
}

// count tells how many tensors were paired, and how.
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

// coarse reports whether one of the models computes in less than float32, so that every node adds
// its part.
func (m *matched) coarse() bool { return m.quantized || m.rounding > 0x1p-24 }

// ratios gives each row its ratio of signal to error, and what its nodes add over the scale.
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

// weights gives rows of their own to the weights that operators read in integers: what rounding
// them does is apart from what computes with them. Each stands before its node's rows.
func (w *weighing) weights() error {
	m := w.pairs.matched
	if m == nil || !m.quantized {
		return nil
	}
	m.weights = map[string]bool{}
	for _, q := range m.actual.Integers.Weights() {
		if _, shown := w.pairs.row[q.Name]; shown {
			continue // of a Constant node, which has a namesake
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

// turned compares a weight with what it was before, as it is or transposed: the quantizer makes a
// MatMul of a Gemm. It gives the one that is nearer, or nil where the shapes do not allow either.
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

// transposed is a matrix in float32 with its axes turned, or nil for anything else.
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
	turned, _ := tensor.New(tensor.Shape{columns, rows}, values) // as many elements as before
	return turned
}

// before is the weight that was quantized, on the expected side, and its name as far as it is
// known: by its name, or that of the node's counterpart.
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

// mostAdds is how many tensors the ranking holds.
const mostAdds = 10

// rank orders tensors by what their nodes add by themselves.
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

// spread says what no single place explains.
func (r *Finding) spread() string {
	text := "the outputs differ, and no single place explains it"
	if len(r.Adds) == 0 {
		return text + ": no node is out of tolerance alone by more than rounding"
	}
	return text + ": many nodes add to it, each by the precision of its type"
}

// adds is the ranking in one line.
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
