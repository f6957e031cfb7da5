package locate

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
)

// settling drops pairs that nothing confirms.
type settling struct {
	found *Finding
	runs  *runner
	pairs *pairs
	judge *judging
}

// settle runs nodes alone. If not all tensors pair by name, it also drops pairs until each
// remaining pair is confirmed in one of these ways:
//
//   - by values: both sides computed the same;
//   - by their nodes: alone, on the expected side's values, they compute the expected tensor;
//   - by their readers: the tensor differs and so do its readers, but alone on the expected side's
//     values the readers compute the expected results, so the two tensors correspond.
//
// If a pair is dropped, the nodes around its tensor become one stretch, which then runs as a whole.
func (w *settling) settle(ctx context.Context) error {
	if err := w.judge.isolated(ctx); err != nil || w.pairs.matched == nil || !w.runs.options.Isolate {
		return err
	}
	for {
		doubtful := w.pairs.furthest(w.doubtful())
		if len(doubtful) == 0 {
			doubtful = w.astray()
		}
		if len(doubtful) == 0 {
			return nil
		}
		w.judge.drop(doubtful)
		if err := w.judge.isolated(ctx); err != nil {
			return err
		}
	}
}

// doubtful returns the tensors whose pairs nothing confirms.
func (w *settling) doubtful() map[string]bool {
	list := map[string]bool{}
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		switch {
		case p.Pairing == pairing.Interface:
		case w.judge.contradicted(p):
			list[p.Tensor] = true
		case !p.Type.Valid(), p.Own == nil && p.Verdict == compare.Fail && !w.judge.alike(p):
			list[p.Tensor] = true
		case w.judge.wrongAlone(p) && !w.judge.alike(p) && !w.confirmedBehind(p):
			list[p.Tensor] = true
		}
	}
	return list
}

// confirmedBehind reports whether the nodes that read p's tensor confirm its pair. A reader that
// merely passes the value on has the same counterpart and confirms nothing, but its own readers
// may.
func (w *settling) confirmedBehind(p *Point) bool {
	confirmed := false
	for _, r := range w.pairs.readers(p.Tensor) {
		switch {
		case r.Own == nil:
		case w.pairs.handsOn(r, p):
			confirmed = confirmed || w.confirmedBehind(r)
		case w.judge.wrongAlone(r):
			return false
		case r.Verdict == compare.Fail:
			confirmed = true
		}
	}
	return confirmed
}

// astray returns the wrongly paired sources of the first node that is out of tolerance when it runs
// alone. Such a source has the values of its counterpart, but the counterpart does not come before
// the node's counterpart. If both sides have the same operators in between, the node itself reads
// another tensor, and no pair is wrong. A tensor that merely passes on a value is wrongly paired
// too if it replaces a result of the expected side, like an Identity instead of an activation.
func (w *settling) astray() []string {
	theirs := w.pairs.theirTensors()
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if !w.judge.wrongAlone(p) {
			continue
		}
		carries := w.pairs.matched.again[p.Tensor]
		nodes, sources := w.pairs.matched.expected.Between(w.pairs.called(p.Tensor), theirs)
		more := len(nodes) > len(w.pairs.between(p.Tensor))
		read := map[string]int{} // number of actual tensors paired with each expected tensor
		for _, name := range w.pairs.sources[p.Tensor] {
			read[w.pairs.called(name)]++
		}
		missed := slices.ContainsFunc(sources, func(name string) bool { return read[name] == 0 })
		lost := w.lost(p, nodes)
		var list []string
		for _, name := range w.pairs.sources[p.Tensor] {
			row, inner := w.pairs.row[name]
			if !inner || w.found.Tensors[row].Pairing == pairing.Interface {
				continue
			}
			own := w.pairs.called(name)
			before, right := slices.Contains(sources, own), w.judge.readRight(name)
			repeats := !right && w.repeats(name)
			switch {
			case repeats && w.displaced(p, name, nodes):
			case carries:
				continue
			case right:
				continue
			case !before && (more || w.pairs.matched.again[name]),
				missed && read[own] > 1 && w.pairs.matched.again[name], repeats && lost[own]:
			default:
				continue
			}
			list = append(list, name)
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// lost returns expected tensors before p's counterpart whose values go through a computing node
// that the actual side lacks, and then reach a node that both sides have.
func (w *settling) lost(p *Point, nodes []int) map[string]bool {
	theirs := w.pairs.matched.expected
	ours := map[string]bool{}
	for _, i := range w.pairs.between(p.Tensor) {
		ours[pairing.Class(strings.TrimPrefix(w.pairs.nodes[i].Op, "Fused"))] = true
	}
	found := map[string]bool{}
	for _, at := range nodes {
		class := pairing.Class(theirs.Nodes[at].Op)
		if !ours[class] || pairing.Carries(theirs.Nodes[at].Op) {
			continue
		}
		for _, i := range theirs.Before(at, nodes) {
			n := &theirs.Nodes[i]
			if pairing.Carries(n.Op) || n.Op == "Transpose" || ours[pairing.Class(n.Op)] ||
				theirs.FoldsInto(i, class) {
				continue
			}
			for _, j := range append(theirs.Before(i, nodes), i) {
				for _, name := range theirs.Nodes[j].Inputs {
					found[name] = true
				}
			}
		}
	}
	return found
}

// displaced reports whether a source of p comes from a kind of node that the expected side has only
// after the source's counterpart. A Transpose that moves nothing, for example, is paired with its
// input, although its real counterpart is the Transpose that moves axes.
func (w *settling) displaced(p *Point, name string, nodes []int) bool {
	theirs := w.pairs.matched.expected
	class := pairing.Class(w.pairs.nodes[w.pairs.producer[name]].Op)
	made := theirs.Made(w.pairs.called(name))
	has := func(of []int, op func(int) string) bool {
		return slices.ContainsFunc(of, func(i int) bool { return pairing.Class(op(i)) == class })
	}
	return made != nil && pairing.Class(made.Op) != class &&
		has(nodes, func(i int) string { return theirs.Nodes[i].Op }) &&
		!has(w.pairs.between(p.Tensor), func(i int) string { return w.pairs.nodes[i].Op })
}

// repeats reports whether a tensor has the same counterpart as one of its sources.
func (w *settling) repeats(name string) bool {
	own := w.pairs.called(name)
	same := func(source string) bool { return w.pairs.called(source) == own }
	return w.pairs.matched.again[name] || slices.ContainsFunc(w.pairs.sources[name], same)
}

// weight returns the error of the node alone, for sorting; NaN counts as the largest error.
func (p *Point) weight() float64 {
	if e := float64(p.Own.Error); !math.IsNaN(e) {
		return e
	}
	return math.Inf(1)
}
