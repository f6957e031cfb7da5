package locate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// mostPatched is how many suspects are tried by putting values in their place.
const mostPatched = 8

// blame finds the fault among the nodes that are wrong alone. Where names tell all, the first of
// them is. Otherwise a pair may still be wrong in a way that nothing so far shows, so one more
// thing is asked of it: the outputs must agree when the actual side goes on with the expected
// side's values behind the fault, and must not when it does so before it.
func (w *search) blame(ctx context.Context) error {
	if w.matched == nil {
		return nil
	}
	w.count()
	w.ratios()
	if !w.options.Isolate {
		return nil
	}
	var suspects []*Point
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; w.wrongAlone(p) {
			suspects = append(suspects, p)
		}
	}
	if w.found.Verdict != compare.Fail || len(suspects) == 0 || w.found.Pairing.inner() == 0 {
		return nil
	}
	ranked := slices.Clone(suspects)
	slices.SortStableFunc(ranked, func(a, b *Point) int {
		return cmp.Compare(b.weight(), a.weight())
	})
	for _, p := range ranked[:min(len(ranked), mostPatched)] {
		guilty, err := w.guilty(ctx, p)
		if ctx.Err() != nil {
			return fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			w.note("%q could not be put in its place: %v", p.Tensor, err)
			continue
		}
		if guilty {
			w.found.Isolated = p
			w.found.Fault = w.fault([]*Point{p}, true)
			return nil
		}
	}
	if w.matched.coarse() {
		w.rank() // every node adds its part
		return nil
	}
	w.found.Fault = w.fault(suspects, false)
	if len(suspects) == 1 {
		w.found.Isolated = suspects[0]
	}
	return nil
}

// guilty reports whether the fault is between a row's sources and its tensor.
func (w *search) guilty(ctx context.Context, p *Point) (bool, error) {
	left, err := w.heals(ctx, []string{p.Tensor})
	if err != nil || left > healed {
		return false, err
	}
	var before []string
	for _, name := range w.sources[p.Tensor] {
		if row, ok := w.row[name]; ok && w.found.Tensors[row].Verdict == compare.Fail {
			before = append(before, name)
		}
	}
	if len(before) == 0 {
		return true, nil
	}
	left, err = w.heals(ctx, before)
	return left >= ill, err
}

// fault is the stretch of nodes that make some rows' tensors from their sources.
func (w *search) fault(rows []*Point, healed bool) *Fault {
	f := &Fault{Healed: healed}
	var nodes []int
	for _, p := range rows {
		f.To = append(f.To, p.Tensor)
		f.From = append(f.From, w.sources[p.Tensor]...)
		nodes = append(nodes, w.between(p.Tensor)...)
	}
	slices.Sort(nodes)
	slices.Sort(f.From)
	f.From = slices.Compact(f.From)
	for _, i := range slices.Compact(nodes) {
		n := &w.nodes[i]
		f.Nodes = append(f.Nodes, NodeName{Index: i, Name: n.Name, Op: n.Op,
			Module: n.Module, Source: n.Source})
	}
	return f
}
