package locate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
)

// blaming identifies the fault among the nodes that are out of tolerance when they run alone.
type blaming struct {
	found     *Finding
	runs      *runner
	pairs     *pairs
	judge     *judging
	narrowing *narrowing
	weighing  *weighing
}

// mostPatched limits the number of suspects that are tested by patching in expected values, because
// each test runs the actual model.
const mostPatched = 8

// blame identifies the fault among the nodes that are out of tolerance when they run alone. If all
// tensors pair by name, the fault is the first of these nodes. Otherwise a pair may be wrong
// without having been noticed, so blame runs two more tests. With the expected values patched in
// after the fault, the actual side's outputs must agree with the expected outputs. With the
// expected values patched in before the fault, they must still differ.
func (w *blaming) blame(ctx context.Context) error {
	if w.pairs.matched == nil {
		return nil
	}
	w.weighing.count()
	if err := w.weighing.weights(); err != nil {
		return err
	}
	w.weighing.ratios()
	if !w.runs.options.Isolate || w.found.Verdict != compare.Fail {
		return nil
	}
	for {
		if w.found.Pairing.inner() > 0 {
			if err := w.accuse(ctx); err != nil {
				return err
			}
			if w.found.Fault == nil || len(w.found.Fault.Nodes) == 1 {
				return nil
			}
		}
		more, err := w.narrowing.narrow(ctx, w.suspects())
		if err != nil {
			return err
		}
		if !more {
			return w.unfold(ctx)
		}
		w.weighing.count()
		w.weighing.ratios()
	}
}

// suspects returns the points whose nodes are out of tolerance when they run alone. A node whose
// tensor agrees within the whole model is innocent: alone it may have used another kernel.
func (w *blaming) suspects() []*Point {
	var list []*Point
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; w.judge.wrongAlone(p) && p.Error != 0 && !w.pairs.isWeight(p) {
			list = append(list, p)
		}
	}
	return list
}

// accuse narrows the fault down as far as the suspects allow.
func (w *blaming) accuse(ctx context.Context) error {
	suspects := w.suspects()
	w.found.Isolated, w.found.Fault = nil, nil
	if len(suspects) == 0 {
		return nil
	}
	first := slices.DeleteFunc(slices.Clone(suspects), func(p *Point) bool {
		return len(w.unsound(p)) > 0
	})
	ranked := slices.Clone(first)
	slices.SortStableFunc(ranked, func(a, b *Point) int {
		return cmp.Compare(b.weight(), a.weight())
	})
	for _, p := range ranked[:min(len(ranked), mostPatched)] {
		guilty, err := w.guilty(ctx, p)
		if ctx.Err() != nil {
			return fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			w.runs.note("the expected value of %q could not be patched in: %v", p.Tensor, err)
			continue
		}
		if guilty {
			w.found.Isolated = p
			w.found.Fault = w.fault([]*Point{p}, true)
			return nil
		}
	}
	if w.pairs.matched.coarse() {
		w.weighing.rank() // every node contributes some error
		return nil
	}
	if len(first) == 0 { // fall back to a stretch that ends at the first suspect
		first = suspects[:1]
	}
	w.found.Fault = w.fault(first, false)
	if len(w.found.Fault.Nodes) == 1 || len(first) == 1 && len(w.unsound(first[0])) == 0 {
		w.found.Isolated = first[0]
	}
	return nil
}

// unsound returns the sources of p in which the sides already differ. When p's node ran alone, it
// may have read a wrong value there.
func (w *blaming) unsound(p *Point) (names []string) {
	if w.pairs.matched.coarse() {
		return nil // every tensor has some rounding error
	}
	for _, name := range w.pairs.sources[p.Tensor] {
		if row, ok := w.pairs.row[name]; ok && !w.judge.alike(&w.found.Tensors[row]) {
			names = append(names, name)
		}
	}
	return names
}

// guilty reports whether the fault lies between p's sources and p's tensor, by patching in the
// expected values of either.
func (w *blaming) guilty(ctx context.Context, p *Point) (bool, error) {
	left, err := w.heals(ctx, []string{p.Tensor})
	if err != nil || left > healed {
		return false, err
	}
	var before []string
	for _, name := range w.pairs.sources[p.Tensor] {
		if row, ok := w.pairs.row[name]; ok && w.found.Tensors[row].Verdict == compare.Fail {
			before = append(before, name)
		}
	}
	if w.doubtfulBefore(p) {
		return false, nil
	}
	if len(before) == 0 {
		return true, nil
	}
	left, err = w.heals(ctx, before)
	return left >= ill, err
}

// carried returns p's sources and the nodes between the sources and p. If the expected side has no
// node of the same kind as p's node, the correct input of p's node is unknown. Then the stretch
// includes nodes before it that merely pass values on, and all earlier nodes whose results differ.
func (w *blaming) carried(p *Point) (sources []string, before []int) {
	if w.pairs.matched == nil {
		return w.pairs.sources[p.Tensor], nil
	}
	handed := p.ExpectedOp != "" && !w.pairs.matched.again[p.Tensor] && !w.hasKind(p)
	return w.behind(p.Tensor, handed, map[string]bool{})
}

// hasKind reports whether the expected side computes p's tensor with a node of the same kind as the
// actual side.
func (w *blaming) hasKind(p *Point) bool {
	nodes, _ := w.pairs.matched.expected.Between(w.pairs.called(p.Tensor), w.pairs.theirTensors())
	kind := pairing.Class(strings.TrimPrefix(p.Op, "Fused"))
	return slices.ContainsFunc(nodes, func(i int) bool {
		return pairing.Class(w.pairs.matched.expected.Nodes[i].Op) == kind
	})
}

// behind returns a tensor's sources. Instead of a source in which the sides differ, it returns the
// sources of that source. If handed is set, it does the same for nodes that merely pass values on.
func (w *blaming) behind(tensor string, handed bool, seen map[string]bool) (sources []string,
	before []int) {
	for _, name := range w.pairs.sources[tensor] {
		row, shown := w.pairs.row[name]
		through := shown && handed && w.pairs.matched.again[name] &&
			w.found.Tensors[row].Pairing != pairing.Interface
		if !through && !slices.Contains(w.unsound(&Point{Tensor: tensor}), name) {
			sources = append(sources, name)
			continue
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		before = append(before, w.pairs.between(name)...)
		further, more := w.behind(name, handed, seen)
		sources, before = append(sources, further...), append(before, more...)
	}
	return sources, before
}

// doubtfulBefore reports whether a source of p is itself out of tolerance when its node runs alone.
// Then a single fault explains both tensors only if the source's pair is wrong. In coarse
// precision, many sources are out of tolerance, so that proves nothing.
func (w *blaming) doubtfulBefore(p *Point) bool {
	if w.pairs.matched.coarse() {
		return false
	}
	for _, name := range w.pairs.sources[p.Tensor] {
		row, ok := w.pairs.row[name]
		if !ok {
			continue
		}
		s := &w.found.Tensors[row]
		if w.judge.wrongAlone(s) && s.Verdict == compare.Fail && !w.pairs.isWeight(s) ||
			w.handsOnAny(s) && w.doubtfulBefore(s) {
			return true
		}
	}
	return false
}

// handsOnAny reports whether the node of s merely passes on one of its sources.
func (w *blaming) handsOnAny(s *Point) bool {
	return slices.ContainsFunc(w.pairs.sources[s.Tensor], func(name string) bool {
		row, ok := w.pairs.row[name]
		return ok && w.pairs.handsOn(s, &w.found.Tensors[row])
	})
}

// fault returns the stretch of nodes that compute the tensors of rows from their sources.
func (w *blaming) fault(rows []*Point, healed bool) *Fault {
	f := &Fault{Healed: healed}
	var nodes []int
	for _, p := range rows {
		f.To = append(f.To, p.Tensor)
		sources, before := w.carried(p)
		f.From = append(f.From, sources...)
		nodes = slices.Concat(nodes, w.pairs.between(p.Tensor), before)
	}
	slices.Sort(nodes)
	slices.Sort(f.From)
	f.From = slices.Compact(f.From)
	for _, i := range slices.Compact(nodes) {
		n := &w.pairs.nodes[i]
		f.Nodes = append(f.Nodes, NodeName{Index: i, Name: n.Name, Op: n.Op,
			Module: n.Module, Source: n.Source})
	}
	return f
}
