package locate

import (
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

// count counts the pairs for each kind of evidence.
func (j *judged) count() *Pairing {
	m := j.pairs.matched
	inOrder := func(a, b string) int { return j.pairs.producer[a] - j.pairs.producer[b] }
	c := &Pairing{Actual: len(m.actual.Computed()), Expected: len(m.expected.Computed()),
		Dropped: slices.SortedFunc(slices.Values(j.pairs.dropped), inOrder)}
	for i := range j.tensors {
		p := &j.tensors[i]
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
	return c
}

// ratios computes the SQNR and the OverScale of each tensor.
func (j *judged) ratios(tensors []Point) {
	m := j.pairs.matched
	if !m.coarse() {
		return
	}
	for i := range tensors {
		p := &tensors[i]
		if e := float64(p.Error); e > 0 && !math.IsInf(e, 1) {
			db := Number(-20 * math.Log10(e))
			p.SQNR = &db
		}
		scale, quantized := m.actual.Integers.Scale(p.Tensor)
		rms, known := m.expected.RMS(j.pairs.called(p.Tensor))
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

// withWeights adds a row for each quantized weight, before the rows of the node that reads the
// weight. The weight's rounding error is thus shown separately from the node's error.
func withWeights(j *judged) (*judged, error) {
	m := j.pairs.matched
	if !m.quantized {
		return j, nil
	}
	var rows []Point
	for _, q := range m.actual.Integers.Weights() {
		_, paired := j.pairs.row[q.Name] // as the weight of a Constant node is
		if paired || slices.ContainsFunc(rows, func(o Point) bool { return o.Tensor == q.Name }) {
			continue
		}
		n := &j.pairs.nodes[q.Node]
		before, name := j.before(n, q)
		expected, got, err := turned(inside(j.rule), q.Values, before)
		if errors.As(err, new(*compare.Powerless)) || err == nil && expected == nil {
			continue
		}
		if err != nil {
			return j, err
		}
		over := 0.0
		for i, scale := range q.Scale {
			off := (q.Values.Float64At(i) - expected.Float64At(i)) / scale
			over += off * off / float64(len(q.Scale))
		}
		p := Point{Tensor: q.Name, Expected: name, Pairing: pairing.Name, Node: n.Name, Op: n.Op,
			Module: n.Module, Source: n.Source, Index: q.Node, Type: q.Type, Shape: q.Values.Shape(),
			Verdict: got.Verdict, Reason: got.Reason, Abs: got.Abs, Rel: got.Rel, Error: got.Error,
			Growth: nan, Own: &got.Own}
		root := Number(math.Sqrt(over))
		p.OverScale = &root
		rows = append(rows, p)
	}
	return j.over(j.pairs.withWeights(rows)), nil
}

// turned compares a weight with its original, and with the transposed original, because the
// quantizer turns a Gemm into a MatMul. best is the original in the orientation that is closer to
// the weight, or nil if neither has the weight's shape.
func turned(rule compare.Options, actual, before *tensor.Tensor) (best *tensor.Tensor, m measured,
	err error) {
	for _, t := range []*tensor.Tensor{before, transposed(before)} {
		if t == nil || !t.Shape().Equal(actual.Shape()) {
			continue
		}
		got, err := measureOne(rule, actual, t)
		if err != nil {
			return nil, m, err
		}
		if best == nil || got.Error < m.Error {
			best, m = t, got
		}
	}
	return best, m, nil
}

// transposed returns the transpose of a matrix, in float32. It returns nil if the tensor is not a
// matrix.
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

// before returns the expected model's weight from which q was quantized, and the weight's name if
// it is known. It finds the weight by name, or through the counterpart of the node that reads q.
func (j *judged) before(n *loaders.Node, q pairing.QuantizedWeight) (*tensor.Tensor, string) {
	expected := j.pairs.matched.expected
	if q.Was != q.Name && expected.HasWeight(q.Was) {
		if t, err := expected.Weight(q.Was); err == nil {
			return t, q.Was
		}
	}
	for _, output := range n.Outputs {
		if _, paired := j.pairs.row[output]; paired {
			return expected.WeightOf(j.pairs.called(output), q.Class), ""
		}
	}
	return nil, ""
}

// mostAdds is the maximum length of Finding.Adds.
const mostAdds = 10

// byOwnError lists the tensors whose nodes add an error, the largest error first. It leaves out
// tensors for which include returns false.
func byOwnError(j *judged, include func(*Point) bool) (adds []string) {
	var rows []*Point
	for i := range j.tensors {
		if p := &j.tensors[i]; p.Own != nil && !p.unused && p.weight() > 0 && include(p) {
			rows = append(rows, p)
		}
	}
	slices.SortStableFunc(rows, byWeight)
	for _, p := range rows[:min(len(rows), mostAdds)] {
		adds = append(adds, p.Tensor)
	}
	return adds
}

// spread summarizes a difference that no single node explains.
func (r *Finding) spread() string {
	if r.First == nil && r.MarkedVerdict == compare.Fail {
		return r.nowhere()
	}
	text := "the outputs differ, and no single node explains it"
	if len(r.Adds) == 0 {
		return text + ": when each node runs alone, none is out of tolerance by more than rounding " +
			"explains" + refused(r.Tensors)
	}
	return text + ": many nodes contribute, each with no more error than its type's precision explains"
}

// adds lists the first tensors of r.Adds, with their nodes' errors, in one line.
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
	return "nodes that add the largest errors: " + strings.Join(list, ", ")
}
