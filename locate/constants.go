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

// withConstants adds to a fault the nodes that compute its constants, except constants that the
// expected side has too. This is necessary because a node that runs alone gets the expected side's
// inputs, but the actual side's constants. A wrong constant thus looks like a fault of the node
// that reads it. No comparison of tensors reveals the wrong constant if the expected side has
// folded it into a weight or names it differently.
func withConstants(ctx context.Context, w *runner, j *judged, f *Fault) (*Fault, error) {
	m := j.pairs.matched
	rounding := fewRoundings * m.rounding
	if m.coarse() {
		rounding = pairing.Near(m.actual, m.expected, "")
	}
	mine := w.constants(ctx, w.actual, j.pairs.views.actual)
	var theirs []*tensor.Tensor
	var nodes []int
	for _, n := range f.Nodes {
		nodes = append(nodes, n.Index)
		for _, name := range pairing.Reads(&j.pairs.nodes[n.Index]) {
			row, paired := j.pairs.row[name]
			if m.actual.Fed(name) || paired && j.alike(&j.tensors[row]) {
				continue
			}
			computing, within := j.pairs.computing(name), rounding
			if len(computing) == 0 {
				continue
			}
			if !slices.ContainsFunc(computing, func(i int) bool { return !moves(j.pairs.nodes[i].Op) }) {
				within = moved
			}
			if theirs == nil {
				theirs = theirConstants(j, f, w.constants(ctx, w.expected, j.pairs.views.expected))
			}
			t := mine(name)
			if !slices.ContainsFunc(theirs, func(e *tensor.Tensor) bool { return near(t, e, within) }) {
				nodes = append(nodes, computing...)
			}
		}
	}
	if ctx.Err() != nil {
		return f, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	wide := *f
	if wide.Nodes = j.pairs.named(nodes); len(wide.Nodes) == len(f.Nodes) {
		return f, nil
	}
	wide.Why = ""
	return &wide, nil
}

// computing lists the nodes that compute a constant. It leaves out nodes that merely store or
// repeat a weight. If a weight is wrong, the search names only the node that reads the weight.
func (w *pairs) computing(name string) []int {
	nodes := w.upTo(name, func(string) bool { return false })
	return slices.DeleteFunc(nodes, func(i int) bool {
		return w.nodes[i].Op == "Constant" || w.nodes[i].Op == "Identity"
	})
}

// theirConstants reads the constants that the expected side uses to compute the fault's tensors.
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

// moved is a limit for the norm-wise error of a matrix. If the error is larger, the elements count
// as being in a wrong order. A random order typically causes an error of √2, twice as much. If the
// error is smaller, the elements are in the right order, even if their values are wrong.
const moved = math.Sqrt2 / 2

// near reports whether two constants are equal up to the given norm-wise error. If theirs has the
// transposed shape, near transposes it first. It never transposes a square constant, because a
// transposed constant may be the bug that the search looks for.
func near(mine, theirs *tensor.Tensor, within float64) bool {
	if mine == nil {
		return false
	}
	best, m, err := turned(inside(compare.Options{Checks: []compare.Check{exact},
		AnyElementType: true}), mine, theirs)
	return err == nil && best != nil && (m.Abs == 0 || float64(m.Error) <= within) &&
		(best == theirs || !theirs.Shape().Equal(mine.Shape()))
}
