package locate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
)

// explained contains what is known about why the outputs differ.
type explained struct {
	fault    *Fault
	isolated string   // the tensor of the node that is wrong alone
	adds     []string // see [Finding.Adds]
	pairing  *Pairing // nil if all tensors pair by name
	notes    []string
}

// mostPatched limits how many suspects are tested by replacing tensors with expected values. Each
// test costs a run of the actual model.
const mostPatched = 8

// explain identifies the fault among the nodes that are out of tolerance when they run alone. If
// all tensors pair by name, the fault is the first of these nodes.
//
// Otherwise a pair may be wrong without having been noticed, so explain makes one more test before
// it blames a suspect. If the actual side continues with expected values instead of the suspect's
// results, the outputs must agree. If it continues with expected values instead of the suspect's
// inputs, the outputs must differ. If the fault consists of several nodes, explain looks for more
// pairs of tensors between them, and compares these tensors, too. Finally it adds nodes whose
// constants may be wrong.
func (s *steps) explain(ctx context.Context, w *runner) (err error) {
	s.judged, s.explained, err = place(ctx, w, s.judged, s.whole.verdict)
	if err == nil && s.explained.fault != nil {
		s.explained.fault, err = withConstants(ctx, w, s.judged, s.explained.fault)
	}
	return err
}

// place finds the nodes at fault. It does not look for wrong constants; see [withConstants].
func place(ctx context.Context, w *runner, j *judged, verdict compare.Verdict) (
	*judged, explained, error) {
	if j.pairs.matched == nil {
		return j, explained{}, nil
	}
	j, err := withWeights(j)
	e := explained{pairing: j.count()}
	if err != nil || !w.options.Isolate || verdict != compare.Fail {
		return j, e, err
	}
	found := &narrowing{runs: w, narrowed: map[string]int{}, refused: map[pairing.Pair]bool{}}
	for {
		if e.pairing.inner() > 0 {
			if e, err = accuse(ctx, w, j, e.notes); err != nil || e.fault == nil ||
				len(e.fault.Nodes) == 1 {
				return j, e, err
			}
		}
		next, err := found.narrow(ctx, j)
		if next == nil || err != nil {
			if err == nil {
				e.fault, err = unfold(ctx, w, j, e.fault)
			}
			return cmp.Or(next, j), e, err
		}
		j = next
		e.pairing = j.count()
	}
}

// suspects returns the tensors whose nodes are out of tolerance when they run alone. It leaves out
// tensors that agree when the whole model runs: for the single node, the engine may have chosen a
// different kernel.
func suspects(j *judged) []*Point {
	var list []*Point
	for i := range j.tensors {
		if p := &j.tensors[i]; j.wrongAlone(p) && p.Error != 0 && !p.unused &&
			!j.pairs.isWeight(p) {
			list = append(list, p)
		}
	}
	return list
}

// accuse looks for the fault among the suspects. It tests suspects by replacing tensors with
// expected values. If no test confirms a suspect, the fault consists of the nodes of all suspects
// whose inputs agree.
func accuse(ctx context.Context, w *runner, j *judged, notes []string) (explained, error) {
	e := explained{pairing: j.count(), notes: notes}
	suspects := suspects(j)
	if len(suspects) == 0 {
		return e, nil
	}
	first := slices.DeleteFunc(slices.Clone(suspects), func(p *Point) bool {
		return len(unsound(j, p)) > 0
	})
	ranked := slices.Clone(first)
	slices.SortStableFunc(ranked, byWeight)
	for _, p := range ranked[:min(len(ranked), mostPatched)] {
		guilty, err := guilty(ctx, w, j, p)
		if ctx.Err() != nil {
			return e, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			e.notes = append(e.notes, fmt.Sprintf("%q could not be replaced with the expected side's "+
				"value: %v", p.Tensor, err))
			continue
		}
		if guilty {
			e.isolated, e.fault = p.Tensor, faultOf(j, []*Point{p}, true)
			return e, nil
		}
	}
	if j.pairs.matched.coarse() {
		e.adds = byOwnError(j, func(p *Point) bool { // every node contributes some error
			return p.Own.Verdict == compare.Fail
		})
		return e, nil
	}
	if len(first) == 0 { // fall back to the nodes of the first suspect
		first = suspects[:1]
	}
	e.fault = faultOf(j, first, false)
	if len(e.fault.Nodes) == 1 || len(first) == 1 && len(unsound(j, first[0])) == 0 {
		e.isolated = first[0].Tensor
	}
	return e, nil
}

// unsound returns the tensors from which p's tensor is computed and in which the two sides already
// differ. Such a tensor may be paired with the wrong tensor of the other side. Then p's node had a
// wrong input when it ran alone, and that run does not show whether the node is at fault.
func unsound(j *judged, p *Point) (names []string) {
	if j.pairs.matched.coarse() {
		return nil // every tensor has some rounding error
	}
	for _, name := range j.pairs.sources[p.Tensor] {
		if row, ok := j.pairs.row[name]; ok && !j.alike(&j.tensors[row]) {
			names = append(names, name)
		}
	}
	return names
}

// guilty reports whether the fault lies in the nodes that compute p's tensor. The outputs must
// agree if p's tensor is replaced by its expected value. They must still differ if the wrong inputs
// of these nodes are replaced instead.
func guilty(ctx context.Context, w *runner, j *judged, p *Point) (bool, error) {
	if doubtfulBefore(j, p) {
		return false, nil
	}
	return healsFirst(ctx, w, j, p, ill, func(source string) bool {
		row, ok := j.pairs.row[source]
		return ok && j.tensors[row].Verdict == compare.Fail
	})
}

// carried returns the tensors from which p's tensor is computed, and earlier nodes that may be at
// fault too. If the two sides already differ in one of these tensors, the nodes that compute it may
// be at fault. Nodes before p that only copy or reshape a value may be at fault in two cases: the
// expected side has no node of the same kind as p's node, or p's tensor and one of its sources have
// different shapes on the two sides.
func carried(j *judged, p *Point) (sources []string, before []int) {
	if j.pairs.matched == nil {
		return j.pairs.sources[p.Tensor], nil
	}
	pastCopies := p.ExpectedOp != "" && !j.pairs.found[p.Tensor].Again && !hasKind(j, p) ||
		math.IsNaN(float64(p.Error)) && slices.ContainsFunc(j.pairs.sources[p.Tensor],
			func(name string) bool { return j.pairs.found[name].Reshaped })
	return behind(j, p.Tensor, pastCopies, map[string]bool{})
}

// hasKind reports whether the same kind of node computes p's tensor on both sides.
func hasKind(j *judged, p *Point) bool {
	nodes, _ := j.pairs.matched.expected.Between(j.pairs.called(p.Tensor), j.pairs.theirTensors())
	kind := pairing.Class(strings.TrimPrefix(p.Op, "Fused"))
	return slices.ContainsFunc(nodes, func(i int) bool {
		return pairing.Class(j.pairs.matched.expected.Nodes[i].Op) == kind
	})
}

// behind returns the nearest earlier tensors in which both sides agree and from which the named
// tensor is computed. before lists the nodes in between. If pastCopies is set, behind also goes
// past nodes that only copy or reshape a value. seen contains the tensors that it has already gone
// past.
func behind(j *judged, tensor string, pastCopies bool, seen map[string]bool) (sources []string,
	before []int) {
	for _, name := range j.pairs.sources[tensor] {
		row, shown := j.pairs.row[name]
		through := shown && pastCopies && j.pairs.found[name].Again &&
			j.tensors[row].Pairing != pairing.Interface
		if !through && !slices.Contains(unsound(j, &Point{Tensor: tensor}), name) {
			sources = append(sources, name)
			continue
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		before = append(before, j.pairs.between(name)...)
		further, more := behind(j, name, pastCopies, seen)
		sources, before = append(sources, further...), append(before, more...)
	}
	return sources, before
}

// doubtfulBefore reports whether an input of p's node is itself out of tolerance when the node that
// computes this input runs alone. If so, either both nodes are at fault, or the input is paired
// with the wrong tensor of the expected side. In models of low precision the result is always
// false, because many tensors are out of tolerance there.
func doubtfulBefore(j *judged, p *Point) bool {
	if j.pairs.matched.coarse() {
		return false
	}
	for _, name := range j.pairs.sources[p.Tensor] {
		row, ok := j.pairs.row[name]
		if !ok {
			continue
		}
		s := &j.tensors[row]
		if j.wrongAlone(s) && s.Verdict == compare.Fail && !j.pairs.isWeight(s) ||
			handsOnAny(j, s) && doubtfulBefore(j, s) {
			return true
		}
	}
	return false
}

// handsOnAny reports whether the node that computes s only copies or reshapes one of its inputs.
func handsOnAny(j *judged, s *Point) bool {
	return slices.ContainsFunc(j.pairs.sources[s.Tensor], func(name string) bool {
		row, ok := j.pairs.row[name]
		return ok && j.pairs.handsOn(s, &j.tensors[row])
	})
}

// faultOf returns the fault that consists of the nodes that compute the given tensors.
func faultOf(j *judged, rows []*Point, healed bool) *Fault {
	f := &Fault{Healed: healed}
	var nodes []int
	for _, p := range rows {
		f.To = append(f.To, p.Tensor)
		sources, before := carried(j, p)
		f.From = append(f.From, sources...)
		nodes = slices.Concat(nodes, j.pairs.between(p.Tensor), before)
	}
	slices.Sort(f.From)
	f.From = slices.Compact(f.From)
	f.Nodes = j.pairs.named(nodes)
	return f
}

// named returns the names of nodes, in graph order and without duplicates.
func (w *pairs) named(nodes []int) (list []NodeName) {
	slices.Sort(nodes)
	for _, i := range slices.Compact(nodes) {
		list = append(list, nameOf(w.nodes[i]))
	}
	return list
}
