package locate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// pairOutputs decides which outputs are compared with each other. It starts with the outputs that
// the rule pairs, continues with outputs of the same name, and pairs the rest by position. n is nil
// if every output is compared with the output of the same name. notes contains a note for each pair
// by position.
func pairOutputs(w *runner) (n *namesakes, notes []string) {
	n = &namesakes{of: map[string]string{}, outputs: loaders.Names(w.actual.ends)}
	given := w.options.Compare.Names
	pairs := names.Pairs(given, true, n.outputs, loaders.Names(w.expected.ends))
	for _, name := range n.outputs {
		other, ok := pairs[name]
		if !ok || other == name {
			continue
		}
		n.of[name] = other
		if given[name] == "" {
			notes = append(notes, fmt.Sprintf("output %q is compared with %q, the expected side's "+
				"output at the same position", name, other))
		}
	}
	if len(n.of) == 0 {
		return nil, nil
	}
	return n, notes
}

// pairTensors pairs the tensors of the two models, in the actual model's graph order. It pairs by
// name if the other side has a tensor of the same name for every tensor. Otherwise it calls package
// pairing.
func (s *steps) pairTensors(ctx context.Context, w *runner) error {
	p := &pairs{views: views{expected: view{names: s.whole.names}}, nodes: w.actual.nodes,
		others: w.expected.nodes, theirs: map[string]*loaders.Node{}, producer: map[string]int{},
		fed: w.fed, used: map[int]bool{}, found: map[string]pairing.Pair{}}
	s.pairs = p
	for name, i := range outputsOf(p.nodes) {
		p.producer[name] = i
	}
	for _, output := range loaders.Names(w.actual.ends) {
		for _, i := range p.upTo(output, func(string) bool { return false }) {
			p.used[i] = true
		}
	}
	for name, i := range outputsOf(p.others) {
		p.theirs[name] = &p.others[i]
	}
	for name := range p.producer {
		if p.theirs[name] != nil && p.called(name) == name {
			p.found[name] = pairing.Pair{Actual: name, Expected: name, By: pairing.Name}
		}
	}
	different, err := retyped(w)
	if err != nil {
		return err
	}
	if len(p.found) < len(p.producer) || len(p.found) < len(p.theirs) || different {
		if p.found, err = p.match(ctx, w); err != nil {
			return err
		}
	}
	p.listed()
	return nil
}

// retyped reports whether some weight has different element types in the two models. If it does,
// every node rounds differently, so an error out of tolerance proves little.
func retyped(w *runner) (bool, error) {
	expected, wrong := w.expected.model.Initializers()
	actual, err := w.actual.model.Initializers()
	types := map[string]tensor.ElementType{}
	for _, weight := range expected {
		types[weight.Name] = weight.Type
	}
	return slices.ContainsFunc(actual, func(weight loaders.Initializer) bool {
		t, both := types[weight.Name]
		return both && t != weight.Type
	}), cmp.Or(wrong, err)
}

// match pairs the tensors of two graphs with the help of package pairing. Tensors computed from
// weights alone are paired by name.
func (w *pairs) match(ctx context.Context, runs *runner) (map[string]pairing.Pair, error) {
	actual, err := w.sketched(ctx, runs, runs.actual)
	if err != nil {
		return nil, err
	}
	expected, err := w.sketched(ctx, runs, runs.expected)
	if err != nil {
		return nil, err
	}
	w.matched = &matched{actual: actual, expected: expected,
		rounding:  max(actual.Sketches.Roundoff(), expected.Sketches.Roundoff()),
		quantized: actual.Integers.Used() || expected.Integers.Used()}
	ends := w.views.expected.names
	n := &namesakes{of: map[string]string{}}
	w.views.actual.graph = actual
	w.views.expected = view{names: n, graph: expected, given: runs.expected.sets}
	expected.Sketches.Take(expected.Inputs, runs.expected.sets)
	found := pairing.Match(actual, expected)
	pairs := map[string]pairing.Pair{}
	for name := range outputsOf(w.nodes) {
		if p, ok := found[name]; ok {
			p.Again = p.Again || pairing.Carries(w.nodes[w.producer[name]].Op)
			pairs[name] = p
		} else if p, ok := w.found[name]; ok && !actual.Fed(name) && !expected.Fed(name) {
			pairs[name] = p
		} else if weight, ok := strings.CutSuffix(name, quantizers); ok && !actual.Fed(name) &&
			expected.HasWeight(weight) {
			pairs[name] = pairing.Pair{Actual: name, Expected: weight, By: pairing.Name}
		}
	}
	n.outputs = loaders.Names(runs.actual.ends)
	for name, p := range pairs {
		if w.theirs[p.Expected] == nil && p.By != pairing.Interface && !expected.HasWeight(p.Expected) &&
			!w.views.expected.isInput(p.Expected) {
			delete(pairs, name)
			continue
		}
		n.of[name] = p.Expected
	}
	if ends != nil {
		for name, other := range ends.of {
			n.of[name] = other
		}
	}
	return pairs, nil
}

// quantizers is what ONNX Runtime's quantizer appends to the name of a weight, for the dequantized
// weight.
const quantizers = "_DequantizeLinear_Output"

// mostFailures limits the failed attempts to read inner tensors. An engine that has failed this
// often without returning any inner tensor is assumed to return none at all.
const mostFailures = 3

// sketched reads a side's graph. It also summarizes the values of every tensor that the side's
// engine can return, as a [pairing.Sketch].
func (w *pairs) sketched(ctx context.Context, runs *runner, s *side) (*pairing.Graph, error) {
	g, err := pairing.NewGraph(s.model)
	if err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	given, refused := 0, 0
	sketch := func(ctx context.Context, names []string) (int64, error) {
		if given == 0 && refused >= mostFailures {
			return 0, nil
		}
		sets, err := runs.gives(ctx, s, view{graph: g}, names)
		if err != nil {
			if len(names) == 1 {
				refused++
			}
			return 0, err
		}
		given++
		g.Sketches.Take(names, sets)
		return bytesOf(sets), nil
	}
	reported := func(_, _ string) {} // by the comparison of pairs
	err = runs.inBatches(ctx, "pairing tensors", [][]string{g.Computed()}, reported, sketch)
	if given == 0 && err == nil && len(g.Computed()) > 0 {
		w.notes = append(w.notes, s.name()+" returns no inner tensors, so tensors were paired by name "+
			"and structure only, not by value")
	}
	return g, err
}
