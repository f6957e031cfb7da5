package loaders_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("ConstantNode", func() {
	held := onnxtest.Tensor{Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1.5, -2)}
	node := func(a onnxtest.Attr) onnxtest.Node {
		return onnxtest.Node{Op: "Constant", Out: []string{a.Name}, Attrs: []onnxtest.Attr{a}}
	}
	model := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			node(onnxtest.Attr{Name: "value", Tensor: &held}),
			node(onnxtest.Attr{Name: "value_float", Float: new(float32(0.25))}),
			node(onnxtest.Attr{Name: "value_int", Int: new(int64(-7))}),
			node(onnxtest.Attr{Name: "value_ints", Ints: []int64{3, -1 << 40}}),
			node(onnxtest.Attr{Name: "value_string", Text: "words"}),
			{Op: "Constant", Domain: "other", Out: []string{"t"}},
			{Op: "Neg", In: []string{"x"}, Out: []string{"y"}},
		},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1}},
		Outputs: []onnxtest.Value{{Name: "y"}},
	}}.Bytes())

	It("reads tensors, numbers and lists", func() {
		for i, want := range []*tensor.Tensor{
			must(tensor.New(tensor.Shape{2}, []float32{1.5, -2})),
			must(tensor.New(tensor.Shape{}, []float32{0.25})),
			must(tensor.New(tensor.Shape{}, []int64{-7})),
			must(tensor.New(tensor.Shape{2}, []int64{3, -1 << 40})),
		} {
			Expect(model.ConstantNode(i)).To(Equal(want), "node %d", i)
		}
	})

	It("reads external data", func() {
		dir := GinkgoT().TempDir()
		outside := onnxtest.Tensor{Type: 1, Dims: []int64{2}, Location: "data", Offset: "4", Length: "8"}
		Expect(os.WriteFile(filepath.Join(dir, "data"), onnxtest.Float32s(9, 2, 4), 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, "m.onnx"), onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{node(onnxtest.Attr{Name: "value", Tensor: &outside})},
			Outputs: []onnxtest.Value{{Name: "value"}},
		}}.Bytes(), 0o600)).To(Succeed())
		Expect(loaders.ONNX(filepath.Join(dir, "m.onnx")).ConstantNode(0)).To(Equal(
			must(tensor.New(tensor.Shape{2}, []float32{2, 4}))))
	})

	DescribeTable("says what it cannot read", func(index int, said string) {
		_, err := model.ConstantNode(index)
		Expect(err).To(MatchError(And(HavePrefix("loaders: model m: node "), HaveSuffix(said))))
	},
		Entry("text", 4, "the node's value is not a dense tensor of numbers"),
		Entry("another library's operator", 5, "expected operator Constant, got other.Constant"),
		Entry("another operator", 6, "expected operator Constant, got Neg"),
		Entry("a node that does not exist", 7, "the graph has 7 nodes"),
		Entry("a negative index", -1, "the graph has 7 nodes"),
	)
})

func must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}
