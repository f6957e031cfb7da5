package conformance_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// ONNX's cases all declare fixed shapes. These cases declare symbolic dimensions, or no rank, so
// that output shapes are known only after the run. All values are small integers and halves, which
// 16-bit floats represent exactly.

// dynamicCase is an operator with inputs, x and others, and its expected output.
type dynamicCase struct {
	node     onnxtest.Node
	x        *tensor.Tensor // float32, converted before the run
	more     []tensor.Entry // inputs of other types
	expected *tensor.Tensor // float32, converted for the comparison
}

var dynamicCases = map[string]dynamicCase{
	"Identity of a 0-d tensor": {node: onnxtest.Node{Op: "Identity", In: []string{"x"}},
		x: tensor.Scalar[float32](1.5), expected: tensor.Scalar[float32](1.5)},
	"Identity of an empty tensor": {node: onnxtest.Node{Op: "Identity", In: []string{"x"}},
		x: shaped(tensor.Shape{0, 3}), expected: shaped(tensor.Shape{0, 3})},
	"Compress, whose length depends on values": {
		node:     onnxtest.Node{Op: "Compress", In: []string{"x", "keep"}},
		x:        shaped(tensor.Shape{4}, 1, -2, 3.5, 4),
		more:     []tensor.Entry{{Name: "keep", Tensor: tensor.Of(true, false, true, false)}},
		expected: shaped(tensor.Shape{2}, 1, 3.5)},
	"Compress to nothing": {
		node:     onnxtest.Node{Op: "Compress", In: []string{"x", "keep"}},
		x:        shaped(tensor.Shape{2}, 1, 2),
		more:     []tensor.Entry{{Name: "keep", Tensor: tensor.Of(false, false)}},
		expected: shaped(tensor.Shape{0})},
	"Reshape to a shape from an input": {
		node:     onnxtest.Node{Op: "Reshape", In: []string{"x", "shape"}},
		x:        shaped(tensor.Shape{2, 3}, 1, 2, 3, 4, 5, 6),
		more:     []tensor.Entry{{Name: "shape", Tensor: tensor.Of[int64](3, -1, 1)}},
		expected: shaped(tensor.Shape{3, 2, 1}, 1, 2, 3, 4, 5, 6)},
	"Reshape to 0-d": {
		node:     onnxtest.Node{Op: "Reshape", In: []string{"x", "shape"}},
		x:        shaped(tensor.Shape{1}, 7),
		more:     []tensor.Entry{{Name: "shape", Tensor: tensor.Of[int64]()}},
		expected: tensor.Scalar[float32](7)},
	"Expand to a shape from an input": {
		node:     onnxtest.Node{Op: "Expand", In: []string{"x", "shape"}},
		x:        shaped(tensor.Shape{2, 1}, 1, 2),
		more:     []tensor.Entry{{Name: "shape", Tensor: tensor.Of[int64](2, 3)}},
		expected: shaped(tensor.Shape{2, 3}, 1, 1, 1, 2, 2, 2)},
	"Slice between bounds from inputs": {
		node: onnxtest.Node{Op: "Slice", In: []string{"x", "starts", "ends"}},
		x:    shaped(tensor.Shape{5}, 0, 1, 2, 3, 4),
		more: []tensor.Entry{{Name: "starts", Tensor: tensor.Of[int64](1)},
			{Name: "ends", Tensor: tensor.Of[int64](-1)}},
		expected: shaped(tensor.Shape{3}, 1, 2, 3)},
	"ReduceMax over everything, to 0-d": {
		node: onnxtest.Node{Op: "ReduceMax", In: []string{"x"},
			Attrs: []onnxtest.Attr{{Name: "keepdims", Int: new(int64)}}},
		x: shaped(tensor.Shape{2, 2}, 1, -8, 6, 0.5), expected: tensor.Scalar[float32](6)},
	"Add of a 0-d tensor": {node: onnxtest.Node{Op: "Add", In: []string{"x", "x"}},
		x: tensor.Scalar[float32](2.5), expected: tensor.Scalar[float32](5)},
	"MatMul of a batch": {node: onnxtest.Node{Op: "MatMul", In: []string{"x", "x"}},
		x:        shaped(tensor.Shape{1, 2, 2}, 1, 2, 3, 4),
		expected: shaped(tensor.Shape{1, 2, 2}, 7, 10, 15, 22)},
}

// kernels lists the operators that ONNX Runtime's CPU provider supports in bfloat16; it supports
// the others only in float16.
var kernels = map[tensor.ElementType][]string{
	tensor.BFloat16: {"Identity", "Reshape", "Slice"},
}

var _ = Describe("16-bit floats with shapes known only after the run", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })
	for elem, number := range map[tensor.ElementType]int32{tensor.Float16: 10, tensor.BFloat16: 16} {
		for name, c := range dynamicCases {
			for _, ranked := range []bool{true, false} {
				if has := kernels[elem]; has != nil && !slices.Contains(has, c.node.Op) {
					continue
				}
				text := elem.String() + ": " + name + map[bool]string{
					true: ", ranks declared", false: ", no ranks declared"}[ranked]
				It(text, Label("operator:"+c.node.Op), func(ctx SpecContext) {
					x, err := c.x.Convert(elem)
					Expect(err).NotTo(HaveOccurred())
					expected, err := c.expected.Convert(elem)
					Expect(err).NotTo(HaveOccurred())
					inputs, err := tensor.NewSet(append(
						[]tensor.Entry{{Name: "x", Tensor: x}}, c.more...)...)
					Expect(err).NotTo(HaveOccurred())
					outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: expected})
					Expect(err).NotTo(HaveOccurred())
					model := loaders.ONNXBytes(name, c.model(number, ranked))
					Expect(ort.Run(ctx, model, fixtures.Of(inputs))).To(
						matchers.MatchOutputs().Under(compare.Options{AllowEmpty: true}).Of(outputs))
				})
			}
		}
	}
})

// model builds the case with x and y of the element type with that number.
func (c dynamicCase) model(number int32, ranked bool) []byte {
	symbols := func(rank int) []any {
		if !ranked {
			return nil
		}
		dims := make([]any, rank)
		for i := range dims {
			dims[i] = string(rune('a' + i))
		}
		return dims
	}
	inputs := []onnxtest.Value{{Name: "x", Elem: number, Dims: symbols(len(c.x.Shape()))}}
	for _, e := range c.more {
		elem := int32(7) // int64
		if e.Tensor.ElementType() == tensor.Bool {
			elem = 9
		}
		inputs = append(inputs, onnxtest.Value{Name: e.Name, Elem: elem, Dims: symbols(1)})
	}
	c.node.Out = []string{"y"}
	outputs := []onnxtest.Value{{Name: "y", Elem: number, Dims: symbols(len(c.expected.Shape()))}}
	if ranked && c.node.Op != "Identity" {
		outputs[0].Dims = renamed(outputs[0].Dims)
	}
	return onnxtest.Model{Opsets: map[string]int64{"": 18}, Graph: onnxtest.Graph{Name: "dynamic",
		Nodes: []onnxtest.Node{c.node}, Inputs: inputs, Outputs: outputs}}.Bytes()
}

// renamed replaces an output's symbols, so that they do not refer to the input's.
func renamed(dims []any) []any {
	for i, d := range dims {
		dims[i] = "y_" + d.(string)
	}
	return dims
}

// shaped is a float32 tensor.
func shaped(shape tensor.Shape, values ...float32) *tensor.Tensor {
	t, err := tensor.New(shape, values)
	if err != nil {
		panic(err) // the table above is wrong
	}
	return t
}
