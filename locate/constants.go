package locate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// withConstants adds to f the nodes that compute its constants, except constants that the expected
// side has too. Even a node that runs alone computes its constants itself, so a wrong constant looks
// like a fault of the node that reads it. If the expected side has folded the constant into a weight
// or names it differently, no pair shows the difference.
func withConstants(ctx context.Context, w *runner, j *judged, f *Fault) (*Fault, error) {
	computed := map[string][]int{} // the nodes that compute each constant without a confirmed pair
	for _, n := range f.Nodes {
		for _, name := range pairing.Reads(&j.pairs.nodes[n.Index]) {
			row, paired := j.pairs.row[name]
			if j.pairs.matched.actual.Fed(name) || paired && j.alike(&j.tensors[row]) {
				continue
			}
			if nodes := j.pairs.computing(name); len(nodes) > 0 {
				computed[name] = nodes
			}
		}
	}
	if len(computed) == 0 {
		return f, nil
	}
	theirs := theirConstants(j, f, w.constants(ctx, w.expected, j.pairs.views.expected))
	mine := w.constants(ctx, w.actual, j.pairs.views.actual)
	rounding := fewRoundings * j.pairs.matched.rounding
	if m := j.pairs.matched; m.coarse() {
		rounding = pairing.Near(m.actual, m.expected, "")
	}
	var more []int
	for name, nodes := range computed {
		t, within := mine(name), rounding
		if !slices.ContainsFunc(nodes, func(i int) bool { return !moves(j.pairs.nodes[i].Op) }) {
			within = moved
		}
		if !slices.ContainsFunc(theirs, func(e *tensor.Tensor) bool { return near(t, e, within) }) {
			more = append(more, nodes...)
		}
	}
	if ctx.Err() != nil {
		return f, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if len(more) == 0 {
		return f, nil
	}
	for _, n := range f.Nodes {
		more = append(more, n.Index)
	}
	slices.Sort(more)
	wide := *f
	wide.Nodes, wide.Why = nil, ""
	for _, i := range slices.Compact(more) {
		wide.Nodes = append(wide.Nodes, nameOf(&j.pairs.nodes[i]))
	}
	return &wide, nil
}

// computing lists the nodes that compute a constant, except nodes that merely hold or repeat a
// weight: if the weight is wrong, so is the node that reads it.
func (w *pairs) computing(name string) []int {
	nodes := w.upTo(name, func(string) bool { return false })
	return slices.DeleteFunc(nodes, func(i int) bool {
		return w.nodes[i].Op == "Constant" || w.nodes[i].Op == "Identity"
	})
}

// theirConstants reads the constants of the expected nodes that compute f's tensors.
func theirConstants(j *judged, f *Fault, read pairing.Constants) (list []*tensor.Tensor) {
	expected, ends := j.pairs.matched.expected, j.pairs.theirTensors()
	for _, to := range f.To {
		nodes, _ := expected.Between(j.pairs.called(to), ends)
		for _, i := range nodes {
			for _, name := range pairing.Reads(&expected.Nodes[i].Node) {
				if !expected.Fed(name) {
					list = append(list, read(name))
				}
			}
		}
	}
	return list
}

// moves reports whether an operator changes at most the shape and the order of its input's
// elements.
func moves(op string) bool { return pairing.Reshapes(op) || op == "Transpose" }

// moved is half the distance, as a norm-wise error, that a matrix typically has from one whose
// elements are in another order. A nearer one has a wrong value, but the right order.
const moved = math.Sqrt2 / 2

// near reports whether two constants have the same shape, or transposed shapes, and a norm-wise
// error within the bound. A square matrix is not transposed: the order may be what is wrong.
func near(mine, theirs *tensor.Tensor, within float64) bool {
	if mine == nil || theirs == nil {
		return false
	}
	shape := unpadded(mine.Shape())
	if t := transposed(theirs); t != nil && !shape.Equal(unpadded(theirs.Shape())) {
		theirs = t
	}
	if !shape.Equal(unpadded(theirs.Shape())) {
		return false
	}
	theirs, err := theirs.Reshape(mine.Shape())
	if err != nil {
		return false
	}
	m, err := measureOne(inside(compare.Options{Checks: []compare.Check{exact},
		AnyElementType: true}), mine, theirs)
	return err == nil && (m.abs == 0 || float64(m.err) <= within)
}

// unpadded returns a shape without the ones at its front, which do not change how it is broadcast.
func unpadded(shape tensor.Shape) tensor.Shape {
	for len(shape) > 0 && shape[0] == 1 {
		shape = shape[1:]
	}
	return shape
}
