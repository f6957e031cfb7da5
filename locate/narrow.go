package locate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// narrowing looks for more pairs inside stretches that are out of tolerance when they run alone.
type narrowing struct {
	found    *Finding
	runs     *runner
	pairs    *pairs
	judge    *judging
	narrowed map[string]int        // size of each searched stretch, by the tensor at its end
	refused  map[pairing.Pair]bool // pairs that were adopted and later contradicted
	trials   int
}

// mostTrials limits how often a search runs parts of the actual model in order to look inside
// stretches.
const mostTrials = 256

// narrow looks for pairs inside the stretches that are out of tolerance when they run alone, and
// reports whether it found any. In a stretch both sides compute from the same values, the expected
// side's values, which allows two tests for an actual tensor and an expected tensor:
//
//   - Are they equal? Then the nodes before the actual tensor are correct.
//   - Do the nodes after the actual tensor compute the expected result from the expected tensor?
//     Then these nodes are correct, and the two tensors correspond.
//
// A pair is adopted if one test passes for some expected tensor while the other test passes for
// none. If a rewriter or a fault has removed a node, both tests would pass, for two different
// expected tensors.
func (w *narrowing) narrow(ctx context.Context, suspects []*Point) (bool, error) {
	var found []pairing.Pair
	for _, p := range suspects {
		if len(w.pairs.between(p.Tensor)) < 2 || w.narrowed[p.Tensor] == len(w.pairs.between(p.Tensor)) {
			continue
		}
		w.narrowed[p.Tensor] = len(w.pairs.between(p.Tensor))
		pairs, err := w.inside(ctx, p)
		if ctx.Err() != nil {
			return false, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			continue // a stretch that cannot run in parts stays whole
		}
		for _, pair := range pairs {
			if !slices.ContainsFunc(found, func(f pairing.Pair) bool { return f.Actual == pair.Actual }) {
				found = append(found, pair)
			}
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	return true, w.adopt(ctx, found)
}

// stretch describes the nodes between p's sources and p's tensor, on both sides.
type stretch struct {
	row              *Point
	sources          []fed    // actual tensors, with the expected side's values
	actual, expected []string // tensors inside the stretch that have no counterpart
	repeats          []string // expected tensors inside the stretch that equal some counterpart
	values           []*tensor.Set
	whole            []*tensor.Tensor // the expected values of the tensor that the stretch computes
	own              []*tensor.Set    // the actual tensors inside, computed from the sources
	from             []string         // names of the sources on the expected side
}

// inside finds pairs inside the stretch that computes the tensor of p.
func (w *narrowing) inside(ctx context.Context, p *Point) ([]pairing.Pair, error) {
	s, err := w.open(ctx, p)
	if err != nil || len(s.actual) == 0 {
		return nil, err
	}
	var pairs []pairing.Pair
	taken := map[string]bool{}
	for _, name := range s.actual {
		equal, plays, err := w.counterparts(ctx, s, name)
		if err != nil {
			return nil, err
		}
		switch {
		case len(plays) == 0:
		case w.handsOnAlike(s, name):
			// If the tensor only equals its node's input, that proves nothing. If the node's input is
			// correct, the pair is usable, unless other readers of the tensor are correct or another reader
			// of the same input may be wrong.
			if w.judge.readRight(name) || w.readTwice(name, p) {
				continue
			}
			if equal = w.twin(s, name); equal != nil {
				plays = nil
			}
		case len(equal) > 0, w.elsewhere(s, name):
			continue
		}
		for _, pair := range slices.Concat(equal, plays) {
			if taken[pair.Expected] && !pair.Again || w.refused[pair] {
				continue
			}
			taken[pair.Expected] = true
			pairs = append(pairs, pair)
			break
		}
	}
	return pairs, nil
}

// open collects the tensors inside the stretch of p.
func (w *narrowing) open(ctx context.Context, p *Point) (*stretch, error) {
	theirs := w.pairs.theirTensors()
	m := w.pairs.matched
	s := &stretch{row: p}
	for _, i := range w.pairs.between(p.Tensor) {
		for _, name := range w.pairs.nodes[i].Outputs {
			if _, shown := w.pairs.row[name]; !shown && name != "" && m.actual.Sketches[name] != nil {
				s.actual = append(s.actual, name)
			}
		}
	}
	own := w.pairs.called(p.Tensor)
	nodes, from := m.expected.Between(own, theirs)
	for _, i := range nodes {
		for _, name := range m.expected.Nodes[i].Outputs {
			switch {
			case name == "" || theirs[name] || m.expected.Sketches[name] == nil:
			case m.expected.Sketches.Repeats(name, theirs):
				s.repeats = append(s.repeats, name)
			default:
				s.expected = append(s.expected, name)
			}
		}
	}
	if len(s.actual) == 0 || len(s.actual)*(len(s.expected)+len(from)+1) > mostTrials {
		return &stretch{}, nil
	}
	s.from = from
	var given []string
	for _, name := range w.pairs.sources[p.Tensor] {
		if !w.runs.fed[name] {
			given = append(given, name)
		}
	}
	expected, err := w.runs.markedExpected(ctx, append(slices.Clone(given), p.Tensor))
	if err != nil {
		return nil, err
	}
	if s.sources, err = w.pairs.feed(expected, given); err != nil {
		return nil, err
	}
	if s.whole, err = w.pairs.held(p.Tensor, all(expected, p.Tensor)); err != nil {
		return nil, err
	}
	s.values, err = w.runs.named(ctx, slices.Concat(s.expected, s.repeats, from, []string{own}))
	if err != nil {
		return nil, err
	}
	var outputs []loaders.Value
	for _, name := range s.actual {
		outputs = append(outputs, w.raw(name))
	}
	s.own, err = w.runs.runPart(ctx, s.sources, outputs)
	return s, err
}

// raw declares a tensor inside the actual model with the type that the engine uses.
func (w *narrowing) raw(name string) loaders.Value {
	return loaders.Value{Name: name,
		Type: w.runs.actual.typeOf(name, w.pairs.matched.actual.Sketches[name].Type)}
}

// counterparts returns the expected tensors that equal an actual tensor, and the expected tensors
// that the nodes after it accept instead.
func (w *narrowing) counterparts(ctx context.Context, s *stretch, name string) (equal,
	plays []pairing.Pair, err error) {
	n := &w.pairs.nodes[w.pairs.producer[name]]
	candidates := slices.Clone(s.expected)
	// A reshaping node passes on any input. Another node may be superfluous if no later node needs it.
	if pairing.Reshapes(n.Op) || !w.judge.readRight(name) {
		candidates = append(candidates, s.from...)
	}
	last := &w.pairs.nodes[w.pairs.producer[s.row.Tensor]]
	if pairing.Reshapes(last.Op) && last.Inputs[0] == name {
		candidates = append(candidates, w.pairs.called(s.row.Tensor))
	}
	mine := all(s.own, name)
	slices.SortStableFunc(candidates, func(x, y string) int { // same operator first
		return cmp.Compare(w.otherwise(n, x), w.otherwise(n, y))
	})
	for _, candidate := range candidates {
		theirs := all(s.values, candidate)
		if mine == nil || theirs == nil || !w.comparable(name, mine, theirs) {
			continue
		}
		pair := pairing.Pair{Actual: name, Expected: candidate, By: pairing.Structure,
			Again: !slices.Contains(s.expected, candidate)}
		pair.Reshaped = mine[0].Len() == theirs[0].Len() && !mine[0].Shape().Equal(theirs[0].Shape())
		if ok, err := w.equal(name, mine, theirs); err != nil {
			return nil, nil, err
		} else if ok {
			// Small or constant tensors may be equal by chance.
			if pair.Again || w.pairs.matched.expected.Sketches[candidate].Telling() {
				equal = append(equal, pair)
			}
			continue
		}
		ok, err := w.plays(ctx, s, name, theirs)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if err == nil && ok {
			plays = append(plays, pair)
		}
	}
	return equal, plays, nil
}

// otherwise returns 0 if the expected tensor comes from the same operator as n, else 1, for
// sorting.
func (w *narrowing) otherwise(n *loaders.Node, expected string) int {
	if made := w.pairs.matched.expected.Made(expected); made != nil && made.Op == n.Op {
		return 0
	}
	return 1
}

// plays reports whether the nodes after an actual tensor compute the expected result if they read
// the expected tensor instead.
func (w *narrowing) plays(ctx context.Context, s *stretch, name string, theirs []*tensor.Tensor) (
	bool, error) {
	if w.trials++; w.trials > mostTrials {
		return false, nil
	}
	mine := all(s.own, name)
	values := make([]*tensor.Tensor, len(theirs))
	for i, t := range theirs {
		var err error
		if t.Len() == mine[i].Len() {
			if t, err = t.Reshape(mine[i].Shape()); err != nil {
				return false, err
			}
		}
		if q := w.runs.actual.quantization(name); q != nil {
			values[i], err = q.Integers(t)
		} else {
			values[i], err = t.Convert(w.raw(name).Type)
		}
		if err != nil {
			return false, err
		}
	}
	got, err := w.runs.runPart(ctx, append(slices.Clone(s.sources), fed{name, values}),
		[]loaders.Value{{Name: s.row.Tensor, Type: s.row.Type}})
	if err != nil {
		return false, err
	}
	m, err := w.judge.measure(all(got, s.row.Tensor), s.whole)
	if err != nil {
		return false, err
	}
	own := Point{Tensor: s.row.Tensor, Own: &Own{Verdict: m.verdict, Abs: m.abs, Error: m.err}}
	return !w.judge.wrongAlone(&own), nil
}

// adopt adds pairs to the finding and reruns the nodes around them alone.
func (w *narrowing) adopt(ctx context.Context, pairs []pairing.Pair) error {
	before := map[string][]int{}
	for i := range w.found.Tensors {
		name := w.found.Tensors[i].Tensor
		before[name] = w.pairs.between(name)
	}
	var names []string
	for _, pair := range pairs {
		at := w.pairs.producer[pair.Actual]
		n := &w.pairs.nodes[at]
		p := Point{Tensor: pair.Actual, Expected: pair.Expected, Node: n.Name, Op: n.Op, Index: at,
			Pairing: pair.By, Module: n.Module, Source: n.Source, Abs: nan, Rel: nan, Error: nan,
			Growth: nan}
		if made := w.pairs.matched.expected.Made(pair.Expected); made != nil {
			p.complement(made)
		}
		w.runs.expected.names.of[pair.Actual] = pair.Expected
		w.pairs.matched.again[pair.Actual] = pair.Again || pairing.Carries(n.Op)
		w.pairs.matched.reshaped[pair.Actual] = pair.Reshaped
		here := slices.IndexFunc(w.found.Tensors, func(o Point) bool { return o.Index > at })
		if here < 0 {
			here = len(w.found.Tensors)
		}
		w.found.Tensors = slices.Insert(w.found.Tensors, here, p)
		names = append(names, pair.Actual)
		without := func(list []string, name string) []string {
			return slices.DeleteFunc(list, func(other string) bool { return other == name })
		}
		w.pairs.matched.dropped = without(w.pairs.matched.dropped, pair.Actual)
		w.found.OnlyActual = without(w.found.OnlyActual, pair.Actual)
		w.found.OnlyExpected = without(w.found.OnlyExpected, pair.Expected)
	}
	w.pairs.index()
	w.pairs.findSources()
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if !slices.Equal(before[p.Tensor], w.pairs.between(p.Tensor)) && !w.pairs.isWeight(p) {
			p.Own, w.judge.tried[p.Tensor] = nil, false
		}
	}
	if _, err := w.judge.markedBatch(ctx, names); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		w.judge.drop(names) // tensors that cannot be read at the same time stay in one stretch
		return w.judge.isolated(ctx)
	}
	if err := w.judge.isolated(ctx); err != nil {
		return err
	}
	var against []string
	for _, pair := range pairs {
		if row, ok := w.pairs.row[pair.Actual]; ok && w.judge.contradicted(&w.found.Tensors[row]) {
			against = append(against, pair.Actual)
			w.refused[pair] = true
		}
	}
	if len(against) == 0 {
		return nil
	}
	w.judge.drop(against)
	return w.judge.isolated(ctx)
}
