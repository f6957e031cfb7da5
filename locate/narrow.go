package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// narrowing is a search for more pairs of tensors inside groups of nodes (see [stretch]).
type narrowing struct {
	runs     *runner
	judged   *judged
	pairs    *pairs                // of judged
	narrowed map[string]int        // by tensor: the number of nodes when they were searched
	refused  map[pairing.Pair]bool // pairs that were adopted and later contradicted
	trials   int
}

// mostTrials limits how often a search runs a part of the actual model in order to narrow down the
// nodes between two paired tensors.
const mostTrials = 256

// narrow looks for more pairs of tensors inside groups of nodes (see [stretch]). It searches each
// group whose result is out of tolerance when the group runs on the expected side's values. It
// returns the comparison with the new pairs, or nil if it finds none. Inside a group, an actual
// tensor and an expected tensor can be tested in two ways:
//
//   - Are they equal? If so, the nodes before the actual tensor are correct.
//   - Do the nodes after the actual tensor compute the expected result from the expected tensor? If
//     so, these nodes are correct, and the two tensors correspond.
//
// A pair that passes one test is adopted, unless the actual tensor passes the other test with a
// different expected tensor. Such a contradiction arises if a rewriter or a fault has removed a
// node.
func (w *narrowing) narrow(ctx context.Context, j *judged) (*judged, error) {
	w.judged, w.pairs = j, j.pairs
	var found []pairing.Pair
	for _, p := range suspects(j) {
		size := len(w.pairs.between(p.Tensor))
		if size < 2 || w.narrowed[p.Tensor] == size {
			continue
		}
		w.narrowed[p.Tensor] = size
		pairs, err := w.inside(ctx, p)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			continue // nodes that cannot run in parts stay together
		}
		for _, pair := range pairs {
			if !slices.ContainsFunc(found, func(f pairing.Pair) bool { return f.Actual == pair.Actual }) {
				found = append(found, pair)
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	return w.adopt(ctx, found)
}

// stretch is the group of nodes, on both sides, that compute one paired tensor. The field row
// describes this tensor. The group computes the tensor from the nearest earlier tensors that both
// models have. The field sources lists these earlier tensors.
type stretch struct {
	row              *Point
	sources          []fed    // actual tensors, with the expected side's values
	actual, expected []string // tensors between the nodes, without a counterpart
	values           []*tensor.Set
	whole            []*tensor.Tensor // the expected values of the row's tensor
	own              []*tensor.Set    // the actual tensors inside, computed from the sources
	from             []string         // names of the sources on the expected side
}

// inside pairs tensors inside the group of nodes that computes p's tensor (see [stretch]).
func (w *narrowing) inside(ctx context.Context, p *Point) ([]pairing.Pair, error) {
	s, err := w.open(ctx, p)
	if err != nil || len(s.actual) == 0 {
		return nil, err
	}
	var pairs []pairing.Pair
	taken := map[string]bool{}
	for _, name := range s.actual {
		equal, replaceable, err := w.counterparts(ctx, s, name)
		if err != nil {
			return nil, err
		}
		found := replaceable
		switch {
		case len(replaceable) == 0:
			found = equal
		case w.handsOnAlike(s, name):
			// The tensor only repeats its node's input, so equality with an expected tensor proves
			// nothing. If the nodes after it are correct with an expected tensor, that does prove
			// something, unless some reader of the tensor is correct already, or another reader of the
			// input may be the faulty one.
			if w.judged.readRight(name) || w.readTwice(name, p) {
				continue
			}
		case len(equal) > 0:
			continue
		}
		for _, pair := range found {
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

// open collects the tensors inside the group of nodes that computes p's tensor, with their values
// on both sides.
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
			if name != "" && !theirs[name] && m.expected.Sketches[name] != nil {
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
		if !w.pairs.fed[name] {
			given = append(given, name)
		}
	}
	views := w.pairs.views
	expected, err := w.runs.markedExpected(ctx, views, append(slices.Clone(given), p.Tensor))
	if err != nil {
		return nil, err
	}
	if s.sources, err = w.judged.feed(expected.sets, given); err != nil {
		return nil, err
	}
	s.whole = w.pairs.held(p.Tensor, all(expected.sets, p.Tensor))
	s.values, err = w.runs.gives(ctx, w.runs.expected, views.expected,
		slices.Concat(s.expected, from, []string{own}))
	if err != nil {
		return nil, err
	}
	var outputs []loaders.Value
	for _, name := range s.actual {
		outputs = append(outputs, w.raw(name))
	}
	s.own, err = w.runs.runPart(ctx, views, s.sources, outputs)
	return s, err
}

// raw declares a tensor of the actual side's model, with the element type that the engine uses.
func (w *narrowing) raw(name string) loaders.Value {
	return loaders.Value{Name: name,
		Type: w.pairs.views.actual.typeOf(name, w.pairs.matched.actual.Sketches[name].Type)}
}

// counterparts compares the named actual tensor in s with the expected tensors in s.
//
// equal lists the pairs of equal tensors. replaceable lists the pairs whose expected tensor can
// replace the actual one; see [narrowing.replaces].
func (w *narrowing) counterparts(ctx context.Context, s *stretch, name string) (equal,
	replaceable []pairing.Pair, err error) {
	n := &w.pairs.nodes[w.pairs.producer[name]]
	candidates := slices.Clone(s.expected)
	// The counterpart may be a tensor before the stretch if the node only reshapes its input, or if
	// the node is superfluous. If a reader of its result is correct, the node is needed.
	if pairing.Reshapes(n.Op) || !w.judged.readRight(name) {
		candidates = append(candidates, s.from...)
	}
	last := &w.pairs.nodes[w.pairs.producer[s.row.Tensor]]
	if pairing.Reshapes(last.Op) && last.Inputs[0] == name {
		candidates = append(candidates, w.pairs.called(s.row.Tensor))
	}
	mine := all(s.own, name)
	rank := func(expected string) int { // the same operator comes first
		if made := w.pairs.matched.expected.Made(expected); made != nil && made.Op == n.Op {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(candidates, func(x, y string) int { return rank(x) - rank(y) })
	for _, candidate := range candidates {
		theirs := all(s.values, candidate)
		if mine == nil || theirs == nil || !comparable(mine, theirs) {
			continue
		}
		pair := pairing.Pair{Actual: name, Expected: candidate, By: pairing.Structure,
			Again: !slices.Contains(s.expected, candidate)}
		pair.Reshaped = mine[0].Len() == theirs[0].Len() && !mine[0].Shape().Equal(theirs[0].Shape())
		if w.equal(mine, theirs) {
			// Small or constant tensors may be equal by chance.
			if pair.Again || w.pairs.matched.expected.Sketches[candidate].Distinctive() {
				equal = append(equal, pair)
			}
			continue
		}
		ok, err := w.replaces(ctx, s, name, theirs)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if err == nil && ok {
			replaceable = append(replaceable, pair)
		}
	}
	return equal, replaceable, nil
}

// replaces reports whether an expected tensor can replace the named actual tensor. The slice
// expected contains the values of the expected tensor, one per iteration. replaces gives these
// values to the nodes that read the named tensor. It returns true if the result of s is then
// correct.
func (w *narrowing) replaces(ctx context.Context, s *stretch, name string,
	expected []*tensor.Tensor) (bool, error) {
	if w.trials++; w.trials > mostTrials {
		return false, nil
	}
	mine := all(s.own, name)
	values := make([]*tensor.Tensor, len(expected))
	for i, t := range expected {
		var err error
		if t.Len() == mine[i].Len() {
			if t, err = t.Reshape(mine[i].Shape()); err != nil {
				return false, err
			}
		}
		if values[i], err = w.pairs.converted(name, t, w.raw(name).Type); err != nil {
			return false, err
		}
	}
	got, err := w.runs.runPart(ctx, w.pairs.views, append(slices.Clone(s.sources), fed{name, values}),
		[]loaders.Value{{Name: s.row.Tensor, Type: s.row.Type}})
	if err != nil {
		return false, err
	}
	m, err := w.judged.measure(w.judged.alone[s.row.Tensor], all(got, s.row.Tensor), s.whole)
	if err != nil {
		return false, err
	}
	own := Point{Tensor: s.row.Tensor, Own: &m.Own}
	return !w.judged.wrongAlone(&own), nil
}

// adopt adds pairs and compares their tensors. It then reruns each node that the new pairs affect.
// Each of these nodes runs alone. adopt drops the new pairs that these runs contradict.
func (w *narrowing) adopt(ctx context.Context, pairs []pairing.Pair) (*judged, error) {
	var names []string
	for _, pair := range pairs {
		names = append(names, pair.Actual)
	}
	j := w.judged.over(w.pairs.with(pairs))
	if _, err := j.compareBatch(ctx, w.runs, names, w.runs.options.Measure != nil); err != nil {
		if ctx.Err() != nil {
			return j, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		// If the tensors cannot be read at the same time, the new pairs are dropped.
		return alone(ctx, w.runs, j.over(j.pairs.without(names)))
	}
	j, err := alone(ctx, w.runs, j)
	if err != nil {
		return j, err
	}
	var against []string
	for _, pair := range pairs {
		if row, ok := j.pairs.row[pair.Actual]; ok && j.contradicted(&j.tensors[row]) {
			against = append(against, pair.Actual)
			w.refused[pair] = true
		}
	}
	if len(against) == 0 {
		return j, nil
	}
	return alone(ctx, w.runs, j.over(j.pairs.without(against)))
}
