package edit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// parts is a model of these parts.
func parts(nodes []onnxtest.Node, weights []onnxtest.Tensor,
	values ...onnxtest.Value) *loaders.Model {
	return loaders.ONNXBytes("parts", onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
		Initializers: weights, Values: values,
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n", 8}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
	}}.Bytes())
}

var _ = Describe("Tensors that size others", func() {
	expand := func(by string, values ...onnxtest.Value) *loaders.Model {
		return parts([]onnxtest.Node{{Op: by, In: []string{"x"}, Out: []string{"shape"}},
			{Op: "Expand", In: []string{"x", "shape"}, Out: []string{"y"}}}, nil, values...)
	}
	DescribeTable("without a bound", func(m *loaders.Model, want ...string) {
		names, err := edit.UnboundedShapes(m)
		Expect(err).NotTo(HaveOccurred())
		if len(want) == 0 {
			Expect(names).To(BeEmpty())
			return
		}
		Expect(names).To(Equal(want))
	},
		Entry("are named", expand("Shape"), "shape"),
		Entry("exclude outputs of Min", expand("Min")),
		Entry("exclude constants", expand("Constant")),
		Entry("exclude inputs", parts([]onnxtest.Node{{Op: "Expand", In: []string{"x", "x"},
			Out: []string{"y"}}}, nil)),
		Entry("exclude operators whose output has a fixed size", parts([]onnxtest.Node{
			{Op: "Relu", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Add", In: []string{"x", "a"}, Out: []string{"y"}}}, nil)),
		Entry("exclude known sizes", parts([]onnxtest.Node{
			{Op: "Shape", In: []string{"x"}, Out: []string{"shape"}},
			{Op: "Expand", In: []string{"x", "shape"}, Out: []string{"z"}}}, nil,
			onnxtest.Value{Name: "z", Elem: 1, Dims: []any{"n", 8}})),
		Entry("include new symbols", parts([]onnxtest.Node{
			{Op: "Shape", In: []string{"x"}, Out: []string{"shape"}},
			{Op: "Expand", In: []string{"x", "shape"}, Out: []string{"z"}}}, nil,
			onnxtest.Value{Name: "z", Elem: 1, Dims: []any{"m", 8}}), "shape"),
	)
})
