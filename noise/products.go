package noise

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// trusted checks up to checkedProducts products of a model, and checkedElements elements of each.
// It prefers products whose operands and result together have at most checkedSize bytes; if there
// are none, it checks the smallest product.
const (
	checkedProducts = 6
	checkedElements = 16
	checkedSize     = 8 << 20
	unknownSize     = 64 // assumed for a dimension without a declared size
)

// trusted returns an error if the engine says that it computes the model in less than float32, or
// if it computes products of the model in a lower precision than their type. It runs the model once
// more, reads the operands and results of some products, and computes some elements of the results
// in float64. checked is the number of products that could be read.
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
	products, err := m.products(ctx)
	if err != nil || len(products) == 0 {
		return 0, err
	}
	for _, of := range m.forms() {
		model, sets, err := of()
		if err != nil {
			return 0, err
		}
		checked, err = m.check(ctx, products, model, sets[0])
		if checked > 0 || err != nil {
			return checked, err
		}
	}
	return 0, nil
}

// check checks products in one run of a model and its inputs.
func (m *meter) check(ctx context.Context, products []product, model *loaders.Model,
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
	for _, p := range products {
		for _, name := range slices.Concat(p.Inputs, p.Outputs) {
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
	for _, p := range products {
		tensors := make([]*tensor.Tensor, 0, 4)
		for _, name := range append(slices.Clone(p.Inputs), p.Outputs[0]) {
			t, ok := outputs.Get(name)
			if !ok {
				t, ok = inputs.Get(name)
			}
			if !ok && weights[name] {
				if t, err = model.Weight(name); err != nil {
					return checked, err
				}
			}
			tensors = append(tensors, t)
		}
		read, err := p.holds(tensors[:len(tensors)-1], tensors[len(tensors)-1])
		if err != nil {
			return checked, fmt.Errorf("%v computes in lower precision than the model, so its noise would "+
				"explain lower-precision errors: %w; measure in another engine with MeasuredIn, or "+
				"use a file with stored noise", m.engine, err)
		}
		if read {
			checked++
		}
	}
	return checked, nil
}

// product is a MatMul, Gemm or Conv.
type product struct {
	onnxwire.Node
	attributes map[string]string
}

// products returns up to checkedProducts evenly spaced products of the graph.
func (m *meter) products(ctx context.Context) ([]product, error) {
	if err := m.model.Load(); err != nil {
		return nil, err
	}
	var all []product
	names := map[string]bool{}
	err := m.model.File().EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) {
		own := n.Domain == "" || n.Domain == "ai.onnx"
		if !own || n.Op != "MatMul" && n.Op != "Gemm" && n.Op != "Conv" {
			return
		}
		p := product{Node: *n, attributes: map[string]string{}}
		for _, a := range r.Attributes(n.Span) {
			p.attributes[a.Name] = strings.Trim(a.Text, `"`)
		}
		for _, name := range slices.Concat(n.Inputs, n.Outputs) {
			names[name] = true
		}
		all = append(all, p)
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	sizes, err := m.sizes(ctx, names)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p product) bool { return sizes[p.Outputs[0]] == 0 })
	size := func(p product) (bytes int) {
		for _, name := range slices.Concat(p.Inputs, p.Outputs) {
			bytes += sizes[name]
		}
		return bytes
	}
	small := slices.DeleteFunc(slices.Clone(all), func(p product) bool {
		return size(p) > checkedSize
	})
	if len(small) == 0 && len(all) > 0 {
		small = []product{slices.MinFunc(all, func(a, b product) int {
			return cmp.Compare(size(a), size(b))
		})}
	}
	return spaced(small, checkedProducts), nil
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

// holds compares some elements of the result with sums computed from the operands. read is false if
// that is impossible.
func (p *product) holds(operands []*tensor.Tensor, result *tensor.Tensor) (read bool, err error) {
	if slices.Contains(operands[:2], nil) || result == nil || result.Len() == 0 {
		return false, nil
	}
	u, least := 0x1p-24, 0x1p-126
	switch result.ElementType() {
	case tensor.Float32:
	case tensor.Float64:
		u, least = 0x1p-53, 0x1p-1022
	default:
		return false, nil
	}
	terms := p.terms(operands, result.Shape())
	if terms == nil {
		return false, nil
	}
	greatest := 0.0
	for i := range result.Len() {
		if v := math.Abs(result.Float64At(i)); v-v == 0 {
			greatest = max(greatest, v)
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(result.Len())))
	for range checkedElements {
		i := random.IntN(result.Len())
		var s sum
		if !terms(i, s.add) {
			return false, nil
		}
		got := result.Float64At(i)
		allowed := float64(s.allowed(greatest)*u) + float64(float64(s.terms)*least)
		if s.size*u < math.MaxFloat32/0x1p25 && !(math.Abs(got-s.value()) <= allowed) {
			return false, fmt.Errorf("%s %q: element %d of its output %q is %.9g; the exact sum of its "+
				"%d products is %.9g, and %s allows an error of %.2g", p.Op, p.Name, i, p.Outputs[0],
				got, s.terms, s.value(), result.ElementType(), allowed)
		}
	}
	return true, nil
}
