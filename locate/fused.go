package locate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Fused describes a difference that disappears if an engine is prevented from fusing some nodes.
type Fused struct {
	// Side is the side whose graph is fused: "actual" or "expected".
	Side string `json:"side"`
	// Passes lists the passes of the engine's optimiser that must be disabled for the outputs to
	// agree. None of them can be omitted. Passes is empty if the engine does not name its passes, or
	// if they are not the cause.
	Passes []string `json:"passes,omitempty"`
	// Nodes lists the nodes that the passes rewrite, in graph order, and Into the operators that they
	// become. Into is empty if the nodes vanish.
	Nodes []NodeName `json:"nodes,omitempty"`
	Into  []string   `json:"into,omitempty"`
	// Fences lists the tensors that must become outputs of the model for its own outputs to agree.
	// None of them can be omitted. Fences is empty if Passes is set, except in the result of [Fence].
	Fences []string `json:"fences,omitempty"`
	// Sessions is the number of times that the search opened a model.
	Sessions int `json:"sessions"`
}

// text says in one sentence why the outputs differ.
func (f *Fused) text() string {
	if len(f.Passes) == 0 {
		return fmt.Sprintf("the outputs differ because the engine of the %s side fuses nodes: "+
			"with %s as additional outputs of the model, they agree", f.Side, abridged(quotedAll(f.Fences)))
	}
	text := fmt.Sprintf("the outputs differ only because the optimiser of the %s side runs %s", f.Side,
		strings.Join(f.Passes, ", "))
	places := (&Fault{Nodes: f.Nodes}).places()
	switch {
	case len(f.Nodes) == 0:
		return text
	case len(f.Into) == 0:
		return text + ", rewriting " + places
	}
	return text + ", turning " + places + " into " + abridged(f.Into)
}

// fusing is the state of a search for the fusions on one side that make the outputs differ.
type fusing struct {
	runner *runner
	of     *whole
	side   *side
	other  []*tensor.Set // the other side's outputs, under its own names
	found  *Fused
}

func newFusing(w *runner, of *whole, s *side, other []*tensor.Set) *fusing {
	return &fusing{runner: w, of: of, side: s, other: other, found: &Fused{Side: s.label}}
}

// searchFused calls fusions. If that fails, searchFused adds a note.
func (s *steps) searchFused(ctx context.Context, w *runner) (err error) {
	if s.fused, err = s.fusions(ctx, w); err != nil && ctx.Err() == nil {
		s.note("the fused graph was not searched: %v", err)
		return nil
	}
	return err
}

// fusions looks for optimiser passes to disable so that the outputs agree. If some node is wrong
// when run alone, fusions searches only if both sides have the same model. If no node is wrong
// alone, fusions also looks for fences: inner tensors to mark as additional outputs, so that the
// original outputs agree.
func (s *steps) fusions(ctx context.Context, w *runner) (*Fused, error) {
	f, _ := s.finding(w)
	// MarkedVerdict says little if the tensors were marked in several batches, so an
	// unexplained error is enough.
	unexplained := f.First != nil && f.First.Own != nil && f.First.unexplained()
	marks := f.Isolated == nil && (f.First == nil || f.MarkedVerdict == compare.Pass || unexplained)
	if f.Verdict != compare.Fail || !marks && f.Isolated == nil {
		return nil, nil
	}
	if f.Isolated != nil {
		// A node may be wrong alone because the optimiser rewrote it. If the models differ, the search
		// does not consider this.
		actual, wrong := w.actual.model.SHA256()
		expected, err := w.expected.model.SHA256()
		if err = cmp.Or(wrong, err); err != nil || actual != expected {
			return nil, err
		}
	}
	actual := newFusing(w, &s.whole, w.actual, s.whole.outputs[1])
	expected := newFusing(w, &s.whole, w.expected, s.whole.outputs[0])
	searches := []func(context.Context) (bool, error){actual.passes, expected.passes}
	fits := w.watches()
	if !fits {
		bytes := int64(0)
		for _, p := range f.Tensors {
			n, _ := p.Shape.Elements() // it is a tensor's, so it is valid
			bytes += int64(len(w.actual.sets)) * int64(n) * int64(p.Type.Bits()) / 8
		}
		fits = bytes <= w.options.memory()
	}
	switch {
	case !fits:
		s.note("the search could not prevent fusion by marking tensors as outputs: all tensors at once " +
			"exceed the memory limit")
	case marks:
		searches = append(searches, actual.fences, expected.fences)
	case !w.watches(): // the expected side's tensors were marked in batches, so it may be wrong
		searches = append(searches, expected.fences)
	}
	for _, search := range searches {
		healed, err := search(ctx)
		if err != nil {
			return nil, err
		}
		if healed {
			found := actual.found
			if len(found.Passes)+len(found.Fences) == 0 {
				found = expected.found
			}
			found.Sessions = actual.found.Sessions + expected.found.Sessions
			return found, nil
		}
	}
	return nil, nil
}

// passes finds the optimiser passes that are to blame, and reports whether it found any. It first
// disables all passes that the optimiser applies. The optimiser may then apply other passes.
// The function disables these too, and so on, until the outputs agree. Then it looks for the fewest
// passes that must be disabled.
func (f *fusing) passes(ctx context.Context) (bool, error) {
	can := backends.CapabilitiesOf(f.side.parts)
	if can.Passes == nil || can.WithoutPasses == nil {
		return false, nil
	}
	var candidates, first []string
	heals := func(names []string) (bool, error) {
		return f.heals(ctx, can.WithoutPasses(names), f.side.model, 0)
	}
	for engine := f.side.parts; ; engine = can.WithoutPasses(candidates) {
		names, _, err := f.optimise(ctx, engine)
		if err != nil {
			return false, err
		}
		if first == nil {
			first = names
		}
		before := len(candidates)
		if candidates = noted(candidates, names); len(candidates) == before {
			return false, nil
		}
		if ok, err := heals(candidates); err != nil {
			return false, err
		} else if ok {
			break
		}
	}
	// If leaving out either of two passes helps, fewest finds the one that comes first in the list.
	// Reversing the list makes that the later pass, which computes the numbers.
	slices.Reverse(candidates)
	var err error
	if f.found.Passes, err = fewest(candidates, heals); err != nil {
		return false, err
	}
	slices.Reverse(f.found.Passes)
	return true, f.rewritten(ctx, can.WithoutPasses, first)
}

// rewritten finds the nodes that are changed by the passes in found.Passes, and sets found.Nodes
// and found.Into. It compares two optimised graphs: one with found.Passes, one without. Other
// passes could also make the two graphs differ. Both graphs therefore leave out the passes that
// come after found.Passes, and the passes that run only if found.Passes are disabled. applied lists
// the passes that change the graph if no pass is disabled, in order.
func (f *fusing) rewritten(ctx context.Context, without func([]string) backends.Engine,
	applied []string) error {
	names, _, err := f.optimise(ctx, without(f.found.Passes))
	if err != nil {
		return err
	}
	var others []string
	for i, name := range slices.Concat(applied, names) {
		earlier := i < len(applied) && slices.ContainsFunc(applied[i:], func(later string) bool {
			return slices.Contains(f.found.Passes, later)
		})
		if !earlier && (i < len(applied) || !slices.Contains(applied, name)) {
			others = append(others, name)
		}
	}
	_, fused, err := f.optimise(ctx, without(others))
	if err != nil {
		return err
	}
	names, plain, err := f.optimise(ctx, without(slices.Concat(others, f.found.Passes)))
	if err != nil {
		return err
	}
	for _, name := range f.found.Passes {
		if slices.Contains(names, name) {
			return fmt.Errorf("locate: %s: the optimiser ran %s although it was disabled", f.side.name(),
				name)
		}
	}
	return f.compareGraphs(fused, plain)
}

func (f *fusing) optimise(ctx context.Context, e backends.Engine) ([]string, *loaders.Model,
	error) {
	f.found.Sessions++
	return backends.CapabilitiesOf(e).Passes(ctx, f.side.model)
}

// compareGraphs sets found.Nodes and found.Into, given the optimised graph with found.Passes
// (fused) and without them (plain).
func (f *fusing) compareGraphs(fused, plain *loaders.Model) error {
	before, wrong := plain.Nodes()
	after, err := fused.Nodes()
	if err := cmp.Or(wrong, err); err != nil {
		return err
	}
	made := func(n loaders.Node) string { return fmt.Sprintf("%q %q", n.Op, n.Outputs) }
	vanished, created := missing(before, after, made), missing(after, before, made)
	if len(vanished)+len(created) == 0 { // the nodes only read other tensors
		vanished = missing(before, after, func(n loaders.Node) string {
			return fmt.Sprintf("%q %q", n.Inputs, n.Outputs)
		})
	}
	for _, n := range created {
		f.found.Into = noted(f.found.Into, []string{n.Op})
	}
	for _, n := range f.side.nodes {
		if slices.ContainsFunc(vanished, func(v loaders.Node) bool {
			return slices.Equal(v.Outputs, n.Outputs)
		}) {
			f.found.Nodes = append(f.found.Nodes, nameOf(n))
		}
	}
	return nil
}

// missing returns the nodes whose keys do not occur in graph.
func missing(nodes, graph []loaders.Node, key func(loaders.Node) string) []loaders.Node {
	known := map[string]bool{}
	for _, n := range graph {
		known[key(n)] = true
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n loaders.Node) bool { return known[key(n)] })
}

// fences looks for the tensors that prevent fusion when they become outputs of the model.
func (f *fusing) fences(ctx context.Context) (bool, error) {
	own := loaders.Names(f.side.ends)
	var inner []string
	for name := range outputsOf(f.side.nodes) {
		if !slices.Contains(own, name) {
			inner = append(inner, name)
		}
	}
	heals := func(names []string) (bool, error) {
		marked, err := f.side.model.Mark(names...)
		if err != nil {
			return false, err
		}
		return f.heals(ctx, f.side.parts, marked, len(names))
	}
	if len(inner) == 0 {
		return false, nil
	}
	ok, err := heals(inner)
	if ok && err == nil {
		f.found.Fences, err = fewest(inner, heals)
	}
	return ok && err == nil, err
}

// heals reports whether the outputs agree after the side's engine and model are replaced. It
// returns false if the new engine cannot run the new model.
func (f *fusing) heals(ctx context.Context, e backends.Engine, m *loaders.Model, marks int) (
	bool, error) {
	f.found.Sessions++
	watched, stop := f.runner.watch(passing.Context(ctx), marks)
	defer stop()
	run, err := backends.RunIn(watched, e, m, f.side.inputs)
	if err != nil {
		if ctx.Err() != nil {
			return false, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		return false, nil
	}
	actual, expected := only(run.Outputs(), loaders.Names(f.side.ends)), f.other
	if f.side == f.runner.expected {
		actual, expected = expected, actual
	}
	verdict, _, err := compareOutputs(f.of.rule, f.of.measured, actual, f.of.names.back(expected, nil))
	return verdict == compare.Pass, err
}

// fewest returns a set of candidates that together make the outputs agree ("heal"), such that no
// member can be left out. All candidates together must heal, and the empty set must not. fewest
// finds each member by bisection: if the first n candidates heal together with the members found so
// far, but the first n-1 do not, the nth candidate is a member.
func fewest(candidates []string, heals func([]string) (bool, error)) ([]string, error) {
	var found []string
	for pool := candidates; len(pool) > 0; {
		var wrong error
		at := sort.Search(len(pool)-1, func(i int) bool {
			ok := true
			if wrong == nil {
				ok, wrong = heals(slices.Concat(pool[:i+1], found))
			}
			return ok
		})
		if wrong != nil {
			return nil, wrong
		}
		found = append([]string{pool[at]}, found...)
		pool = pool[:at]
		if ok, err := heals(found); err != nil {
			return nil, err
		} else if ok {
			break
		}
	}
	for i := 0; len(found) > 1 && i < len(found); {
		without := slices.Delete(slices.Clone(found), i, i+1)
		ok, err := heals(without)
		if err != nil {
			return nil, err
		}
		if ok {
			found, i = without, 0
		} else {
			i++
		}
	}
	return found, nil
}
