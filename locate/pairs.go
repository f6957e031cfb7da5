package locate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// pairs describes the tensors that both models have. It is immutable: dropping or adopting pairs
// creates a new value.
type pairs struct {
	views    views
	nodes    []loaders.Node  // of the actual model
	producer map[string]int  // node by the name of its output
	fed      map[string]bool // names of the actual model's inputs
	unused   map[int]bool    // nodes on which no output depends
	rows     []Point         // one for each tensor, in graph order, without numbers
	row      map[string]int  // index in rows by tensor name
	sources  map[string][]string

	matched  *matched        // nil if all tensors pair by name
	again    map[string]bool // tensors of nodes that merely pass on their input
	reshaped map[string]bool // tensors whose counterpart has a different shape
	weights  map[string]bool // quantized weights that have a row of their own

	dropped                  []string // tensors whose pairs were dropped as unconfirmed
	onlyActual, onlyExpected []string
	notes                    []string
}

// matched describes two graphs in which some tensors do not pair by name.
type matched struct {
	actual, expected *pairing.Graph
	rounding         float64 // unit roundoff of the coarsest type in which either side computes
	quantized        bool
}

// coarse reports whether either model computes in a lower precision than float32, so that every
// node adds some error.
func (m *matched) coarse() bool { return m.quantized || m.rounding > 0x1p-24 }

// called returns the name of a tensor on the expected side.
func (w *pairs) called(name string) string { return w.views.expected.names.called(name) }

// over returns a copy of w with different points.
func (w *pairs) over(rows []Point) *pairs {
	next := *w
	next.rows, next.row = rows, map[string]int{}
	for i := range rows {
		next.row[rows[i].Tensor], rows[i].unused = i, w.unused[rows[i].Index]
	}
	next.sources = next.findSources()
	return &next
}

// without returns a copy of w in which the named tensors have no pairs. The nodes before and after
// such a tensor then run as one part.
func (w *pairs) without(names []string) *pairs {
	next := w.over(slices.DeleteFunc(slices.Clone(w.rows), func(p Point) bool {
		return slices.Contains(names, p.Tensor)
	}))
	next.dropped = slices.Concat(w.dropped, names)
	next.onlyActual = slices.Concat(w.onlyActual, names)
	return next
}

// with returns a copy of w with additional pairs.
func (w *pairs) with(more []pairing.Pair) *pairs {
	rows, again, reshaped := slices.Clone(w.rows), maps.Clone(w.again), maps.Clone(w.reshaped)
	n := &namesakes{of: maps.Clone(w.views.expected.names.of), outputs: w.views.expected.names.outputs}
	dropped, onlyActual, onlyExpected := w.dropped, w.onlyActual, w.onlyExpected
	without := func(list []string, name string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == name })
	}
	for _, pair := range more {
		at := w.producer[pair.Actual]
		n.of[pair.Actual] = pair.Expected
		again[pair.Actual] = pair.Again || pairing.Carries(w.nodes[at].Op)
		reshaped[pair.Actual] = pair.Reshaped
		var expected *loaders.Node
		if made := w.matched.expected.Made(pair.Expected); made != nil {
			expected = &made.Node
		}
		p := pointOf(pair, &w.nodes[at], expected)
		p.Expected = pair.Expected
		here := slices.IndexFunc(rows, func(o Point) bool { return o.Index > at })
		if here < 0 {
			here = len(rows)
		}
		rows = slices.Insert(rows, here, p)
		dropped, onlyActual = without(dropped, pair.Actual), without(onlyActual, pair.Actual)
		onlyExpected = without(onlyExpected, pair.Expected)
	}
	next := *w
	next.views.expected.names, next.again, next.reshaped = n, again, reshaped
	next.dropped, next.onlyActual, next.onlyExpected = dropped, onlyActual, onlyExpected
	return next.over(rows)
}

// pointOf returns the point for a pair, given the node on the actual side (n) and the node on the
// expected side (expected, which may be nil).
func pointOf(pair pairing.Pair, n, expected *loaders.Node) Point {
	p := Point{Tensor: pair.Actual, Node: n.Name, Op: n.Op, Index: n.Index, Pairing: pair.By,
		Module: n.Module, Source: n.Source, Abs: nan, Rel: nan, Error: nan, Growth: nan}
	if pair.Expected != pair.Actual {
		p.Expected = pair.Expected
	}
	if expected == nil {
		return p
	}
	if expected.Op != p.Op {
		p.ExpectedOp = expected.Op
	}
	if p.Module == "" && p.Source == "" { // rewriting a model often removes annotations
		p.Module, p.Source = expected.Module, expected.Source
	}
	return p
}

// origin says where the node comes from; see [loaders.Node.Origin].
func (p *Point) origin() string { return loaders.Node{Module: p.Module, Source: p.Source}.Origin() }

// outputsOf iterates over the outputs of all nodes, in graph order, together with the index of each
// output's node.
func outputsOf(nodes []loaders.Node) func(func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for i := range nodes {
			for _, name := range nodes[i].Outputs {
				if name != "" && !yield(name, i) {
					return
				}
			}
		}
	}
}

// unusedNodes returns the nodes on which no output depends.
func unusedNodes(s *side) map[int]bool {
	used, unused := map[string]bool{}, map[int]bool{}
	for _, v := range s.ends {
		used[v.Name] = true
	}
	for i := range slices.Backward(s.nodes) {
		n := &s.nodes[i]
		if !slices.ContainsFunc(n.Outputs, func(name string) bool { return used[name] }) {
			unused[n.Index] = true
			continue
		}
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			used[name] = true
		}
	}
	return unused
}

// findSources returns the sources of each tensor: the nearest earlier tensors that both models
// share or that are inputs. The nodes between the sources and the tensor run as one part,
// because the expected model may compute the tensor in a different way.
func (w *pairs) findSources() map[string][]string {
	found := map[string][]string{}
	for i := range w.nodes {
		n := &w.nodes[i]
		var sources []string
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			_, shared := w.row[name]
			switch {
			case shared && len(found[name]) > 0, w.fed[name]:
				sources = append(sources, name)
			default: // not shared, or computed only from weights: continue with its inputs
				sources = append(sources, found[name]...)
			}
		}
		slices.Sort(sources)
		sources = slices.Compact(sources)
		for _, name := range n.Outputs {
			found[name] = sources
		}
	}
	return found
}

// upstream returns a tensor and all tensors on which it depends.
func upstream(w *pairs, name string) map[string]bool {
	found := map[string]bool{name: true}
	for pending := []string{name}; len(pending) > 0; pending = pending[1:] {
		for _, source := range w.sources[pending[0]] {
			if !found[source] {
				found[source], pending = true, append(pending, source)
			}
		}
	}
	return found
}

// stretch returns the names of the nodes that compute a tensor from its sources (see
// [pairs.findSources]). It returns nil if there is only one such node.
func (w *pairs) stretch(name string) []string {
	list := w.between(name)
	if len(list) < 2 {
		return nil
	}
	names := make([]string, len(list))
	for i, node := range list {
		if names[i] = w.nodes[node].Name; names[i] == "" {
			names[i] = fmt.Sprintf("%s (node %d)", w.nodes[node].Op, node)
		}
	}
	return names
}

// between lists the nodes that compute a tensor from its sources (see [pairs.findSources]), in
// graph order.
func (w *pairs) between(name string) []int {
	return w.upTo(name, func(input string) bool {
		_, shared := w.row[input]
		return shared || len(w.sources[input]) == 0
	})
}

// upTo lists the nodes that compute a tensor, in graph order. It goes back only as far as the
// tensors for which isSource returns true.
func (w *pairs) upTo(name string, isSource func(string) bool) []int {
	seen := map[int]bool{}
	pending := []string{name}
	var list []int
	for len(pending) > 0 {
		node, made := w.producer[pending[0]]
		pending = pending[1:]
		if !made || seen[node] {
			continue
		}
		seen[node] = true
		list = append(list, node)
		n := &w.nodes[node]
		for _, input := range slices.Concat(n.Inputs, n.Captured) {
			if !isSource(input) {
				pending = append(pending, input)
			}
		}
	}
	slices.Sort(list)
	return list
}

// furthest returns the given tensors on which no other given tensor depends. Use it to drop wrong
// pairs from the end of the graph, because a wrong pair makes earlier pairs look wrong too.
func (w *pairs) furthest(some map[string]bool) []string {
	read := map[string]bool{}
	for name := range some {
		for _, source := range w.sources[name] {
			if source != name {
				read[source] = true
			}
		}
	}
	all := slices.Sorted(maps.Keys(some))
	list := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return read[name] })
	if len(list) == 0 {
		return all
	}
	return list
}

// handsOn reports whether the node of point r only copies or reshapes the tensor of point p. The
// two tensors then have the same counterpart.
func (w *pairs) handsOn(r, p *Point) bool {
	return w.again[r.Tensor] && w.called(r.Tensor) == w.called(p.Tensor)
}

// theirTensors returns the expected side's tensors that are paired.
func (w *pairs) theirTensors() map[string]bool {
	theirs := map[string]bool{}
	for i := range w.rows {
		theirs[w.called(w.rows[i].Tensor)] = true
	}
	return theirs
}

// isWeight reports whether the point describes a quantized weight.
func (w *pairs) isWeight(p *Point) bool { return w.weights[p.Tensor] }

// fed is a tensor of the actual model with the values to feed it, one per iteration.
type fed struct {
	name   string
	values []*tensor.Tensor
}

// feed returns the expected side's values of the named tensors, converted for the actual side.
func (j *judged) feed(expected []*tensor.Set, given []string) (list []fed, err error) {
	for _, name := range given {
		values := all(expected, name)
		if values == nil {
			return nil, fmt.Errorf("locate: the expected side returned no tensor %q", name)
		}
		values, err := j.pairs.taken(name, values, j.at(name).Type)
		if err != nil {
			return nil, err
		}
		list = append(list, fed{name, values})
	}
	return list, nil
}

// taken converts expected values to the shape, type and quantization that the tensor has in the
// actual side's engine.
func (w *pairs) taken(name string, values []*tensor.Tensor, elem tensor.ElementType) (
	list []*tensor.Tensor, err error) {
	list = w.held(name, values)
	for i, t := range list {
		if q := w.views.actual.quantization(name); q != nil {
			t, err = q.Integers(t)
		} else {
			t, err = t.Convert(elem)
		}
		if err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		list[i] = t
	}
	return list, nil
}

// held reshapes expected values to the shapes of the actual tensor, so that the two can be
// compared. A value keeps its own shape if a fault has changed the number of elements.
func (w *pairs) held(name string, values []*tensor.Tensor) []*tensor.Tensor {
	list := slices.Clone(values)
	if !w.reshaped[name] {
		return list
	}
	shapes := w.matched.actual.Sketches[name].Shapes
	for i, t := range values[:min(len(values), len(shapes))] {
		if shaped, err := t.Reshape(shapes[i]); err == nil {
			list[i] = shaped
		}
	}
	return list
}
