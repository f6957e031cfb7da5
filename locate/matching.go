package locate

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// matching pairs the tensors of both models.
type matching struct {
	found *Finding
	runs  *runner
	pairs *pairs
}

// matched describes two graphs whose tensors do not all pair by name.
type matched struct {
	actual, expected *pairing.Graph
	dropped          []string // tensors whose pairs were dropped as unconfirmed
	rounding         float64  // unit roundoff of the coarsest type in which either side computes
	quantized        bool
	again            map[string]bool // tensors of nodes that merely pass on their input
	reshaped         map[string]bool // tensors whose counterpart has a different shape
	weights          map[string]bool // quantized weights that have a point of their own
}

// nameOutputs decides which outputs are compared: outputs of the same name, outputs that the
// options pair, and the rest by position.
func (w *matching) nameOutputs() error {
	actual, err := w.runs.actual.model.Outputs()
	if err != nil {
		return err
	}
	expected, err := w.runs.expected.model.Outputs()
	if err != nil {
		return err
	}
	n := &names{of: map[string]string{}, outputs: valueNames(actual)}
	pairs := pairing.Ends(n.outputs, valueNames(expected))
	for name, other := range w.runs.options.Compare.Names {
		pairs[name] = other
	}
	for _, name := range n.outputs {
		other, ok := pairs[name]
		if !ok || other == name {
			continue
		}
		n.of[name] = other
		if w.runs.options.Compare.Names[name] == "" {
			w.runs.note("output %q is compared with %q, the expected side's output at the same position",
				name, other)
		}
	}
	if len(n.of) > 0 {
		w.runs.expected.names, w.runs.options.Compare.Names = n, nil
	}
	return nil
}

// pairTensors lists the tensors that both models have, in the actual model's graph order. If every
// tensor has a namesake on the other side, it pairs by name; otherwise it uses package pairing.
func (w *matching) pairTensors(ctx context.Context) (err error) {
	if w.pairs.nodes, err = w.runs.actual.model.Nodes(); err != nil {
		return err
	}
	nodes, err := w.runs.expected.model.Nodes()
	if err != nil {
		return err
	}
	inputs, err := w.runs.actual.model.Inputs()
	if err != nil {
		return err
	}
	w.pairs.producer, w.runs.fed = map[string]int{}, map[string]bool{}
	for _, v := range inputs {
		w.runs.fed[v.Name] = true
	}
	for name, i := range outputsOf(w.pairs.nodes) {
		w.pairs.producer[name] = i
	}
	made := map[string]int{}
	for name, i := range outputsOf(nodes) {
		made[name] = i
	}
	pairs := map[string]pairing.Pair{}
	for name := range outputsOf(w.pairs.nodes) {
		if _, both := made[name]; both && w.pairs.called(name) == name {
			pairs[name] = pairing.Pair{Actual: name, Expected: name, By: pairing.Name}
		}
	}
	retyped, err := w.retyped()
	if err != nil {
		return err
	}
	if len(pairs) < len(w.pairs.producer) || len(pairs) < len(made) || retyped {
		if pairs, err = w.match(ctx, pairs, made); err != nil {
			return err
		}
	}
	w.list(pairs, nodes, made)
	w.pairs.findSources()
	return nil
}

// retyped reports whether weights of the same name have different element types. Every node then
// rounds differently, so an error out of tolerance proves little.
func (w *matching) retyped() (bool, error) {
	expected, err := w.runs.expected.model.Initializers()
	if err != nil {
		return false, err
	}
	types := map[string]tensor.ElementType{}
	for _, weight := range expected {
		types[weight.Name] = weight.Type
	}
	actual, err := w.runs.actual.model.Initializers()
	for _, weight := range actual {
		if t, both := types[weight.Name]; both && t != weight.Type {
			return true, err
		}
	}
	return false, err
}

// list fills the finding with one point for each pair.
func (w *matching) list(pairs map[string]pairing.Pair, nodes []loaders.Node, made map[string]int) {
	w.found.Tensors = nil
	used := map[string]bool{}
	for name, i := range outputsOf(w.pairs.nodes) {
		pair, both := pairs[name]
		if !both {
			w.found.OnlyActual = append(w.found.OnlyActual, name)
			continue
		}
		used[pair.Expected] = true
		n := &w.pairs.nodes[i]
		p := Point{Tensor: name, Node: n.Name, Op: n.Op, Index: i, Pairing: pair.By,
			Module: n.Module, Source: n.Source, Abs: nan, Rel: nan, Error: nan, Growth: nan}
		if pair.Expected != name {
			p.Expected = pair.Expected
		}
		if at, ok := made[pair.Expected]; ok {
			p.complement(&nodes[at])
		}
		w.found.Tensors = append(w.found.Tensors, p)
	}
	for name := range outputsOf(nodes) {
		if !used[name] {
			w.found.OnlyExpected = append(w.found.OnlyExpected, name)
		}
	}
	w.pairs.index()
}

// match pairs the tensors of graphs that do not pair by name. Tensors computed from weights
// alone stay paired by name.
func (w *matching) match(ctx context.Context, byName map[string]pairing.Pair,
	made map[string]int) (map[string]pairing.Pair, error) {
	actual, err := w.sketched(ctx, w.runs.actual)
	if err != nil {
		return nil, err
	}
	ends := w.runs.expected.names
	w.runs.expected.names = nil // use its own names until tensors are paired
	expected, err := w.sketched(ctx, w.runs.expected)
	w.runs.expected.names = ends
	if err != nil {
		return nil, err
	}
	w.pairs.matched = &matched{actual: actual, expected: expected,
		rounding:  max(actual.Sketches.Roundoff(), expected.Sketches.Roundoff()),
		quantized: actual.Integers.Used() || expected.Integers.Used(), again: map[string]bool{},
		reshaped: map[string]bool{}}
	w.runs.expected.given = w.runs.theirs
	expected.Sketches.Take(expected.Inputs, w.runs.theirs)
	found := pairing.Match(actual, expected)
	pairs := map[string]pairing.Pair{}
	for name := range outputsOf(w.pairs.nodes) {
		if p, ok := found.Of(name); ok {
			pairs[name] = p
			n := &w.pairs.nodes[w.pairs.producer[name]]
			w.pairs.matched.again[name] = p.Again || pairing.Carries(n.Op)
			w.pairs.matched.reshaped[name] = p.Reshaped
		} else if p, ok := byName[name]; ok && !actual.Fed(name) && !expected.Fed(name) {
			pairs[name] = p
		} else if weight, ok := w.dequantized(name, actual); ok && expected.HasWeight(weight) {
			pairs[name] = pairing.Pair{Actual: name, Expected: weight, By: pairing.Name}
		}
	}
	n := &names{of: map[string]string{}}
	if ends != nil {
		n.outputs = ends.outputs
	} else if outputs, err := w.runs.actual.model.Outputs(); err == nil {
		n.outputs = valueNames(outputs)
	}
	for name, p := range pairs {
		_, ok := made[p.Expected]
		if !ok && p.By != pairing.Interface && !expected.HasWeight(p.Expected) &&
			!w.runs.expected.isInput(p.Expected) {
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
	w.runs.expected.names = n
	return pairs, nil
}

// dequantized returns the original name of a quantized weight, assuming the naming of ONNX
// Runtime's quantizer.
func (w *matching) dequantized(name string, actual *pairing.Graph) (weight string, ok bool) {
	weight, ok = strings.CutSuffix(name, "_DequantizeLinear_Output")
	return weight, ok && !actual.Fed(name)
}

// mostFailures is the number of consecutive tensors that an engine may fail to return before the
// search assumes that it returns none.
const mostFailures = 3

// sketched reads a side's graph and sketches every tensor that its engine returns.
func (w *matching) sketched(ctx context.Context, s *seat) (*pairing.Graph, error) {
	g, err := pairing.NewGraph(s.model)
	if err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	s.graph = g
	notes := len(w.found.Notes)
	given, refused := 0, 0
	sketch := func(ctx context.Context, names []string) (int64, error) {
		if given == 0 && refused >= mostFailures {
			return 0, nil
		}
		sets, err := w.runs.gives(ctx, s, names)
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
	err = w.runs.inBatches(ctx, "pairing their tensors", g.Computed(), sketch)
	w.found.Notes = w.found.Notes[:notes] // the comparison of pairs reports these problems again
	if given == 0 && err == nil && len(g.Computed()) > 0 {
		w.runs.note("%s returns no inner tensors to pair by value: paired by name and structure alone",
			s.name())
	}
	return g, err
}
