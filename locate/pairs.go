package locate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// pairs describes the tensors that both models have. It is immutable: [pairs.with] and
// [pairs.without] return changed copies.
type pairs struct {
	views    views
	nodes    []loaders.Node           // of the actual model
	producer map[string]int           // node by the name of its output
	others   []loaders.Node           // of the expected model
	theirs   map[string]*loaders.Node // the same nodes by the names of their outputs
	fed      map[string]bool          // names of the actual model's inputs
	used     map[int]bool             // nodes on which an output depends
	matched  *matched                 // nil if all tensors pair by name
	notes    []string

	found   map[string]pairing.Pair // by the actual tensor
	weights []Point                 // rows of quantized weights
	dropped []string                // tensors whose pairs were dropped as unconfirmed

	// These follow from the fields before; see listed.
	rows                     []Point        // one for each tensor, in graph order, without numbers
	row                      map[string]int // index in rows by tensor name
	sources                  map[string][]string
	onlyActual, onlyExpected []string
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

// with returns a copy of w with additional pairs, which replace earlier pairs of the same tensors.
func (w *pairs) with(more []pairing.Pair) *pairs {
	next := *w
	n := &namesakes{of: maps.Clone(w.views.expected.names.of), outputs: w.views.expected.names.outputs}
	next.found, next.views.expected.names = maps.Clone(w.found), n
	for _, pair := range more {
		pair.Again = pair.Again || pairing.Carries(w.nodes[w.producer[pair.Actual]].Op)
		next.found[pair.Actual], n.of[pair.Actual] = pair, pair.Expected
		next.dropped = slices.DeleteFunc(slices.Clone(next.dropped), func(name string) bool {
			return name == pair.Actual
		})
	}
	return next.listed()
}

// without returns a copy of w in which the named tensors have no pairs. The nodes before and after
// such a tensor then run as one part.
func (w *pairs) without(names []string) *pairs {
	next := *w
	next.dropped, next.found = slices.Concat(w.dropped, names), maps.Clone(w.found)
	for _, name := range names {
		delete(next.found, name)
	}
	return next.listed()
}

// withWeights returns a copy of w with additional rows for quantized weights.
func (w *pairs) withWeights(rows []Point) *pairs {
	next := *w
	next.weights = rows
	return next.listed()
}

// listed derives the remaining fields from the pairs and the weights: one row per compared tensor,
// the tensors without a counterpart, and each tensor's sources. A quantized weight's row precedes
// the row of the node that reads it.
func (w *pairs) listed() *pairs {
	w.rows, w.row, w.onlyActual, w.onlyExpected = slices.Clone(w.weights), map[string]int{}, nil, nil
	used := map[string]bool{}
	for name, i := range outputsOf(w.nodes) {
		pair, both := w.found[name]
		if !both {
			w.onlyActual = append(w.onlyActual, name)
			continue
		}
		used[pair.Expected] = true
		w.rows = append(w.rows, pointOf(pair, &w.nodes[i], w.theirs[pair.Expected]))
	}
	slices.SortStableFunc(w.rows, func(a, b Point) int { return a.Index - b.Index })
	for i := range w.rows {
		w.row[w.rows[i].Tensor], w.rows[i].unused = i, !w.used[w.rows[i].Index]
	}
	for name := range outputsOf(w.others) {
		if !used[name] {
			w.onlyExpected = append(w.onlyExpected, name)
		}
	}
	w.sources = w.findSources()
	return w
}

// pointOf returns a Point that describes a pair before its values are compared. The errors in the
// Point are NaN. n is the node that computes the actual tensor. expected is the node that computes
// the expected tensor; it may be nil.
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
	list := pairing.Walk([]string{name}, w.producer,
		func(node int) []string { return pairing.Reads(&w.nodes[node]) },
		func(input string) bool { return !isSource(input) })
	slices.Sort(list)
	return list
}

// furthest returns the given tensors on which no other given tensor depends. If several pairs look
// wrong, drop the pairs of these tensors first. A pair is judged partly by the nodes that read its
// tensor, so a wrong pair later in the graph can make it look wrong.
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
	return w.found[r.Tensor].Again && w.called(r.Tensor) == w.called(p.Tensor)
}

// theirTensors returns the expected side's tensors that are paired.
func (w *pairs) theirTensors() map[string]bool {
	theirs := map[string]bool{}
	for i := range w.rows {
		theirs[w.called(w.rows[i].Tensor)] = true
	}
	return theirs
}

// isWeight reports whether p describes a quantized weight.
func (w *pairs) isWeight(p *Point) bool {
	return slices.ContainsFunc(w.weights, func(o Point) bool { return o.Tensor == p.Tensor })
}

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
		if list[i], err = w.converted(name, t, elem); err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
	}
	return list, nil
}

// converted converts a value of a tensor to the given type, or to the quantization that the tensor
// has in the actual side's engine. A tensor and its counterpart may differ in kind: one exporter
// casts an attention mask to bool, and another passes it on as int64.
func (w *pairs) converted(name string, t *tensor.Tensor, elem tensor.ElementType) (
	*tensor.Tensor, error) {
	if q := w.views.actual.quantization(name); q != nil {
		return q.Integers(t)
	}
	return sets.Converted(t, elem)
}

// held reshapes a tensor's expected values, one per iteration, to the shapes of the tensor's actual
// values, so that they can be compared. If the numbers of elements differ because of a bug in one
// of the models, the expected value keeps its own shape.
func (w *pairs) held(name string, values []*tensor.Tensor) []*tensor.Tensor {
	if !w.found[name].Reshaped {
		return slices.Clone(values)
	}
	return shaped(values, w.matched.actual.Sketches[name].Shapes)
}

// shaped returns the values in the given shapes. A value with a different number of elements keeps
// its own shape.
func shaped(values []*tensor.Tensor, shapes []tensor.Shape) []*tensor.Tensor {
	list := slices.Clone(values)
	for i, t := range values[:min(len(values), len(shapes))] {
		if shaped, err := t.Reshape(shapes[i]); err == nil {
			list[i] = shaped
		}
	}
	return list
}
