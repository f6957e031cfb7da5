package edit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// sizing is y = Expand(x, s) and z = Range(0, n, 1) with sizes that nodes compute: s of int64, and
// n of float32.
func sizing(opset int64) *loaders.Model {
	graph := onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "NonZero", In: []string{"x"}, Out: []string{"found"}},
			{Op: "Shape", In: []string{"found"}, Out: []string{"s"}},
			{Op: "Expand", In: []string{"one", "s"}, Out: []string{"y"}},
			{Op: "ReduceSum", In: []string{"x"}, Out: []string{"n"}},
			{Op: "Range", In: []string{"zero", "n", "step"}, Out: []string{"z"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "one", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)},
			{Name: "zero", Type: 1, Raw: onnxtest.Float32s(0)},
			{Name: "step", Type: 1, Raw: onnxtest.Float32s(1)}},
		Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4}}},
		Values: []onnxtest.Value{{Name: "n", Elem: 1, Dims: []any{}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"rows", "found"}},
			{Name: "z", Elem: 1, Dims: []any{"count"}}},
	}
	return loaders.ONNXBytes("m", onnxtest.Model{Opsets: map[string]int64{"": opset},
		Graph: graph}.Bytes())
}

var _ = Describe("WithUpperBounds", func() {
	It("inserts a Min of the same type behind tensors that size others", func() {
		bounded, applied, err := edit.WithUpperBounds(sizing(13), map[string]int64{"n": 7}, 100)
		Expect(err).NotTo(HaveOccurred())
		Expect(applied).To(Equal(map[string]int64{"n": 7, "s": 100}))
		Expect(wiring(bounded)).To(ContainElements("Shape found → s/before",
			"Min s/before s/bound → s", "Min n/before n/bound → n", "Range zero n step → z"))
		Expect(bounded.Weight("s/bound")).To(HaveField("ElementType()", tensor.Int64))
		Expect(bounded.Weight("n/bound")).To(HaveField("ElementType()", tensor.Float32))
		Expect(edit.UnboundedShapes(bounded)).To(BeEmpty())
		Expect(bounded.Outputs()).To(HaveExactElements(HaveField("String()",
			"y tensor(float)[rows,found]"), HaveField("String()", "z tensor(float)[count]")))
		Expect(bounded.Declared("n")).To(HaveKey("n"))
	})

	It("bounds the named tensors, and the rest on request", func() {
		bounded, applied, err := edit.WithUpperBounds(sizing(13), map[string]int64{"x": 2}, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(applied).To(Equal(map[string]int64{"x": 2}))
		Expect(wiring(bounded)).To(ContainElement("Min x x/bound → x/after"))
		_, applied, err = edit.WithUpperBounds(sizing(11), nil, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(applied).To(BeEmpty())
	})

	DescribeTable("refuses", func(opset int64, bounds map[string]int64, want string) {
		_, _, err := edit.WithUpperBounds(sizing(opset), bounds, 0)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("an unknown tensor", int64(13), map[string]int64{"q": 1}, `no tensor "q" in the graph`),
		Entry("a bound below 1", int64(13), map[string]int64{"s": 0}, "is below 1"),
		Entry("an opset whose Min does not support integers", int64(11), map[string]int64{"s": 1},
			"requires opset 12 or later"))
})

var _ = Describe("WithDeclared", func() {
	It("replaces declared types and shapes", func() {
		static := loaders.Value{Name: "y", Kind: loaders.Tensor, HasShape: true,
			Dims: []loaders.Dim{{Size: 1}, {Size: 3}}}
		outputs, err := sizing(13).Outputs()
		Expect(err).NotTo(HaveOccurred())
		static.Type = outputs[0].Type
		input := static
		input.Name, input.Dims = "x", []loaders.Dim{{Size: 9}}
		inside := input
		inside.Name = "n"
		declared, err := edit.WithDeclared(sizing(13), static, input, inside)
		Expect(err).NotTo(HaveOccurred())
		Expect(declared.Outputs()).To(ContainElement(HaveField("String()", "y tensor(float)[1,3]")))
		Expect(declared.Inputs()).To(HaveExactElements(HaveField("String()", "x tensor(float)[9]")))
		Expect(declared.Declared("n")).To(HaveKeyWithValue("n",
			HaveField("String()", "n tensor(float)[9]")))
		_, err = edit.WithDeclared(declared, loaders.Value{Name: "q"})
		Expect(err).To(MatchError(ContainSubstring(`cannot declare a type for "q"`)))
	})
})
