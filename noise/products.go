package noise

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// These constants limit the work of [meter.trusted]. It checks up to checkedNodes MatMul, Gemm and
// Conv nodes of a model, and up to checkedElements elements of each node's result. It prefers
// nodes whose operands and result together have at most checkedSize bytes. If there are none, it
// checks the smallest node.
const (
	checkedNodes    = 6
	checkedElements = 64
	checkedSize     = 8 << 20
	unknownSize     = 64 // assumed for a dimension without a declared size
)

// trusted returns an error if the engine says that it computes the model in a lower precision than
// float32, or if it computes a matrix multiplication or convolution in a lower precision than the
// result's type. To find out, trusted runs the model once more, reads the operands and results of
// some MatMul, Gemm and Conv nodes, and computes some elements of the results in float64. checked
// is the number of nodes that could be checked.
func (m *meter) trusted(ctx context.Context) (checked int, err error) {
	if computed := backends.CapabilitiesOf(m.engine).Computed; computed != nil {
		text, err := computed(ctx, m.model)
		if err == nil {
			err = backends.Provenance{Backend: m.engine.String(), Model: m.model.Name(),
				Computed: text}.NotFloat32()
		}
		if err != nil {
			return 0, err
		}
	}
	nodes, err := m.multiplications(ctx)
	if err != nil || len(nodes) == 0 {
		return 0, err
	}
	forms, err := m.forms()
	for _, f := range forms {
		if checked, err = m.check(ctx, nodes, f.model, f.inputs[0]); checked > 0 || err != nil {
			break
		}
	}
	return checked, err
}

// check runs the model once and checks the given MatMul, Gemm and Conv nodes in that run.
func (m *meter) check(ctx context.Context, nodes []loaders.Node, model *loaders.Model,
	inputs *tensor.Set) (checked int, err error) {
	known, err := model.Initializers()
	if err != nil {
		return 0, err
	}
	weights := map[string]bool{}
	for _, w := range known {
		weights[w.Name] = true
	}
	var marks []string
	for _, n := range nodes {
		for _, name := range slices.Concat(n.Inputs, n.Outputs) {
			if _, given := inputs.Get(name); name != "" && !given && !weights[name] {
				marks = append(marks, name)
			}
		}
	}
	marked, err := model.Mark(marks...)
	if err != nil {
		return 0, err
	}
	run, err := backends.RunIn(passing.Context(ctx), m.engine, marked, fixtures.Of(inputs))
	if err != nil {
		return 0, context.Cause(ctx) // the engine cannot return these tensors
	}
	outputs := run.Outputs()[0]
	value := func(name string) (*tensor.Tensor, error) {
		if t, ok := outputs.Get(name); ok {
			return t, nil
		}
		t, ok := inputs.Get(name)
		if !ok && weights[name] {
			return model.Weight(name)
		}
		return t, nil
	}
	for _, n := range nodes {
		node, err := bound.Read(m.model, n.Index)
		if err != nil {
			return checked, err
		}
		known := true
		for _, name := range n.Inputs {
			t, err := value(name)
			if err != nil {
				return checked, err
			}
			known = known && (t != nil || name == "")
			node.Inputs = append(node.Inputs, bound.Input{Tensor: t})
		}
		result, err := value(n.Outputs[0])
		if err != nil || result == nil || !known {
			continue
		}
		ratio, ok := bound.Usual(node, result, checkedElements)
		if ratio >= bound.Unusual {
			return checked, fmt.Errorf("%v computes in lower precision than the model, so it cannot be the "+
				"reference: its errors in %s %q are %.2g times the usual errors of sums in %v; use a file "+
				"with stored noise, or, in a spec, choose a different engine with MeasuredIn", m.engine, n.Op,
				n.Name, ratio, result.ElementType())
		}
		if ok {
			checked++
		}
	}
	return checked, nil
}

// multiplications returns up to checkedNodes of the graph's MatMul, Gemm and Conv nodes, evenly
// spaced.
func (m *meter) multiplications(ctx context.Context) ([]loaders.Node, error) {
	nodes, err := m.model.Nodes()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	all := slices.DeleteFunc(slices.Clone(nodes), func(n loaders.Node) bool {
		return n.Domain != "" && n.Domain != "ai.onnx" ||
			!slices.Contains([]string{"MatMul", "Gemm", "Conv"}, n.Op)
	})
	if len(all) == 0 {
		return nil, nil
	}
	for _, n := range all {
		for _, name := range slices.Concat(n.Inputs, n.Outputs) {
			names[name] = true
		}
	}
	sizes, err := m.sizes(ctx, names)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(n loaders.Node) bool { return sizes[n.Outputs[0]] == 0 })
	size := func(n loaders.Node) (bytes int) {
		for _, name := range slices.Concat(n.Inputs, n.Outputs) {
			bytes += sizes[name]
		}
		return bytes
	}
	small := slices.DeleteFunc(slices.Clone(all), func(n loaders.Node) bool {
		return size(n) > checkedSize
	})
	if len(small) == 0 && len(all) > 0 {
		small = []loaders.Node{slices.MinFunc(all, func(a, b loaders.Node) int {
			return cmp.Compare(size(a), size(b))
		})}
	}
	return spaced(small, checkedNodes), nil
}

// sizes returns the size in bytes of every named tensor that is, or may be, float32 or float64.
func (m *meter) sizes(ctx context.Context, names map[string]bool) (map[string]int, error) {
	inferred, err := m.inferred(ctx)
	if err != nil { // without ONNX Runtime, a given engine measures
		inferred = m.model
	}
	values, err := inferred.Declared(slices.Collect(maps.Keys(names))...)
	if err != nil {
		return nil, err
	}
	weights, err := m.model.Initializers()
	for _, w := range weights {
		v := loaders.Value{Type: w.Type}
		for _, size := range w.Shape {
			v.Dims = append(v.Dims, loaders.Dim{Size: size})
		}
		values[w.Name] = v
	}
	sizes := map[string]int{}
	for name := range names {
		v, known := values[name]
		if known && v.Type != tensor.Float32 && v.Type != tensor.Float64 {
			continue
		}
		sizes[name] = 8
		for _, d := range v.Dims {
			if d.Size < 0 {
				d.Size = unknownSize
			}
			sizes[name] *= d.Size
		}
	}
	return sizes, err
}
