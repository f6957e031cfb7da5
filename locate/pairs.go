package locate

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// pairs describes the tensors that both models have. Each tensor is a point of the finding.
type pairs struct {
	found    *Finding
	runs     *runner
	nodes    []loaders.Node // of the actual model
	producer map[string]int // node by the name of its output
	row      map[string]int // index in found.Tensors by tensor name
	sources  map[string][]string
	matched  *matched // nil if all tensors pair by name
}

// called returns the name of a tensor on the expected side.
func (w *pairs) called(name string) string { return w.runs.expected.names.called(name) }

// index records the index of each tensor in the finding.
func (w *pairs) index() {
	w.row = map[string]int{}
	for i := range w.found.Tensors {
		w.row[w.found.Tensors[i].Tensor] = i
	}
}

// outputsOf iterates over the nodes' outputs with the indices of their nodes, in graph order.
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

// findSources finds, for each tensor, its sources: the nearest tensors before it that both models
// have or that are inputs. The nodes in between form a stretch, which the expected model computes
// differently.
func (w *pairs) findSources() {
	w.sources = map[string][]string{}
	for i := range w.nodes {
		n := &w.nodes[i]
		var sources []string
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			_, shared := w.row[name]
			switch {
			case shared && len(w.sources[name]) > 0, w.runs.fed[name]:
				sources = append(sources, name)
			default: // not shared, or computed only from weights: continue with its inputs
				sources = append(sources, w.sources[name]...)
			}
		}
		slices.Sort(sources)
		sources = slices.Compact(sources)
		for _, name := range n.Outputs {
			w.sources[name] = sources
		}
	}
}

// growth returns a tensor's error divided by the largest error of its sources. Inputs have no
// error.
func (w *pairs) growth(p *Point) Number {
	greatest := math.Inf(-1)
	for _, name := range w.sources[p.Tensor] {
		e := 0.0
		if row, shared := w.row[name]; shared {
			e = float64(w.found.Tensors[row].Error)
		}
		greatest = max(greatest, e)
	}
	if math.IsInf(greatest, -1) || greatest == 0 && p.Error == 0 {
		return nan
	}
	return p.Error / Number(greatest)
}

// stretch names the nodes that ran together to compute a tensor. It returns nil if there was only
// one.
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

// between lists the nodes that compute a tensor from its sources, in graph order.
func (w *pairs) between(name string) []int {
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
			if _, shared := w.row[input]; !shared && len(w.sources[input]) > 0 {
				pending = append(pending, input)
			}
		}
	}
	slices.Sort(list)
	return list
}

// readers returns the points that have a tensor among their sources.
func (w *pairs) readers(name string) []*Point {
	var rows []*Point
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; slices.Contains(w.sources[p.Tensor], name) {
			rows = append(rows, p)
		}
	}
	return rows
}

// furthest returns the tensors of some from which no other tensor of some is computed. A wrong pair
// makes earlier pairs look wrong too, so pairs are dropped starting from the end.
func (w *pairs) furthest(some map[string]bool) []string {
	read := map[string]bool{}
	for name := range some {
		for _, source := range w.sources[name] {
			if source != name {
				read[source] = true
			}
		}
	}
	var list []string
	for name := range some {
		if !read[name] {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		for name := range some {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// handsOn reports whether the node of r merely passes on the tensor of p and both have the same
// counterpart.
func (w *pairs) handsOn(r, p *Point) bool {
	return w.matched.again[r.Tensor] &&
		w.called(r.Tensor) == w.called(p.Tensor)
}

// theirTensors returns the expected side's tensors that have a pair.
func (w *pairs) theirTensors() map[string]bool {
	theirs := map[string]bool{}
	for i := range w.found.Tensors {
		theirs[w.called(w.found.Tensors[i].Tensor)] = true
	}
	return theirs
}

// isWeight reports whether p describes a quantized weight.
func (w *pairs) isWeight(p *Point) bool { return w.matched != nil && w.matched.weights[p.Tensor] }

// fed is a tensor of the actual model and the values to feed it, one per iteration.
type fed struct {
	name   string
	values []*tensor.Tensor
}

// feed returns the expected side's values of the given tensors, converted for the actual side.
func (w *pairs) feed(expected []*tensor.Set, given []string) (list []fed, err error) {
	for _, name := range given {
		values := all(expected, name)
		if values == nil {
			return nil, fmt.Errorf("locate: the expected side returned no tensor %q", name)
		}
		values, err := w.taken(name, values, w.found.Tensors[w.row[name]].Type)
		if err != nil {
			return nil, err
		}
		list = append(list, fed{name, values})
	}
	return list, nil
}

// taken converts values to the shape, type and quantization that the actual side's engine uses.
func (w *pairs) taken(name string, values []*tensor.Tensor, elem tensor.ElementType) (
	list []*tensor.Tensor, err error) {
	list = make([]*tensor.Tensor, len(values))
	for i, t := range values {
		if t, err = w.shaped(name, i, t); err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		if q := w.runs.actual.quantization(name); q != nil {
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

// shaped returns an expected tensor in the actual side's shape, if the two differ only in shape.
func (w *pairs) shaped(name string, iteration int, t *tensor.Tensor) (*tensor.Tensor, error) {
	if w.matched == nil || !w.matched.reshaped[name] {
		return t, nil
	}
	shapes := w.matched.actual.Sketches[name].Shapes
	if iteration >= len(shapes) || t.Shape().Equal(shapes[iteration]) {
		return t, nil
	}
	if n, err := shapes[iteration].Elements(); err != nil || n != t.Len() {
		return t, nil // a fault has changed the size
	}
	return t.Reshape(shapes[iteration])
}

// held returns the expected side's values of a tensor, converted so that they can be compared with
// the actual side's values.
func (w *pairs) held(name string, values []*tensor.Tensor) ([]*tensor.Tensor, error) {
	list := make([]*tensor.Tensor, len(values))
	for i, t := range values {
		shaped, err := w.shaped(name, i, t)
		if err != nil {
			return nil, fmt.Errorf("locate: %q: %w", name, err)
		}
		list[i] = shaped
	}
	return list, nil
}
