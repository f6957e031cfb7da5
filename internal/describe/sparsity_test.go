package describe_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// parts is a model of these parts.
func parts(nodes []onnxtest.Node, weights []onnxtest.Tensor) *loaders.Model {
	return loaders.ONNXBytes("parts", onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
		Initializers: weights,
		Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n", 8}}},
		Outputs:      []onnxtest.Value{{Name: "y", Elem: 1}},
	}}.Bytes())
}

var _ = Describe("The sparsity of weights", func() {
	weight := func(name string, rows, columns int64, values ...float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{rows, columns},
			Raw: onnxtest.Float32s(values...)}
	}
	node := func(op string, in ...string) onnxtest.Node {
		return onnxtest.Node{Op: op, In: in, Out: []string{op + strings.Join(in, "")}}
	}
	sparsity := func(m *loaders.Model) map[string]bool {
		GinkgoHelper()
		found, err := describe.Sparsity(m)
		Expect(err).NotTo(HaveOccurred())
		all := map[string]bool{}
		for _, w := range found.Weights {
			all[w.Name] = w.Sparse
		}
		return all
	}
	rows := []float32{1, 0, 0, 2, 0, 3, 4, 0} // sparse along axis 1 as [2,4], along axis 0 as [4,2]

	It("is checked along the axis that products are summed over", func() {
		Expect(sparsity(parts([]onnxtest.Node{node("Conv", "x", "w")},
			[]onnxtest.Tensor{weight("w", 2, 4, rows...)}))).To(HaveKeyWithValue("w", true))
		Expect(sparsity(parts([]onnxtest.Node{node("MatMul", "x", "w")},
			[]onnxtest.Tensor{weight("w", 4, 2, 1, 0, 2, 0, 3, 1, 0, 1)}))).To(
			HaveKeyWithValue("w", false))
		negative := float32(0)
		negative = -negative
		Expect(sparsity(parts([]onnxtest.Node{node("MatMul", "x", "w")},
			[]onnxtest.Tensor{weight("w", 4, 2, 1, negative, 2, 0, 0, 1, negative, 1)}))).To(
			HaveKeyWithValue("w", true), "-0 counts as zero")
	})

	It("follows Transpose, Cast and quantizers, and Gemm's own transposition", func() {
		back := node("Transpose", "w")
		back.Attrs = []onnxtest.Attr{{Name: "perm", Ints: []int64{1, 0}}}
		Expect(sparsity(parts([]onnxtest.Node{back, node("Cast", "Transposew"),
			node("MatMul", "x", "CastTransposew")},
			[]onnxtest.Tensor{weight("w", 2, 4, rows...)}))).To(HaveKeyWithValue("w", true))
		gemm := node("Gemm", "x", "w")
		one := int64(1)
		gemm.Attrs = []onnxtest.Attr{{Name: "transB", Int: &one}}
		Expect(sparsity(parts([]onnxtest.Node{gemm},
			[]onnxtest.Tensor{weight("w", 2, 4, rows...)}))).To(HaveKeyWithValue("w", true))
		Expect(sparsity(parts([]onnxtest.Node{node("Relu", "w"), node("MatMul", "x", "Reluw")},
			[]onnxtest.Tensor{weight("w", 4, 2, rows...)}))).To(BeEmpty())
	})

	DescribeTable("is along the axis of products for every rank, and Prune prunes along it",
		func(op string, operand, axis int, dims ...int64) {
			n, stride := int64(1), int64(1)
			for i, d := range dims {
				if n *= d; i > axis {
					stride *= d
				}
			}
			values, ones := make([]float32, n), make([]float32, n)
			for i := range values { // two zeros, then two ones, along this axis alone
				values[i], ones[i] = float32(int64(i)/stride%4/2), float32(1)
			}
			in := []string{"x", "x"}
			in[operand] = "w"
			model := func(values []float32) *loaders.Model {
				return parts([]onnxtest.Node{node(op, in...)}, []onnxtest.Tensor{
					{Name: "w", Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}})
			}
			if axis < 0 {
				Expect(sparsity(model(values))).To(BeEmpty())
				return
			}
			Expect(sparsity(model(values))).To(HaveKeyWithValue("w", true))
			Expect(sparsity(model(ones))).To(HaveKeyWithValue("w", false))
			pruned, _, err := edit.Prune(model(ones))
			Expect(err).NotTo(HaveOccurred())
			weight, err := pruned.Weight("w")
			Expect(err).NotTo(HaveOccurred())
			Expect(weight.Float64s()).To(HaveExactElements(tensor.Of(values...).Float64s()))
		},
		Entry("a vector", "MatMul", 1, -1, int64(4)),
		Entry("a matrix on the right", "MatMul", 1, 0, int64(4), int64(8)),
		Entry("a matrix on the left", "MatMul", 0, 1, int64(8), int64(4)),
		Entry("Gemm", "Gemm", 1, 0, int64(4), int64(8)),
		Entry("matrices on the right", "MatMul", 1, 1, int64(8), int64(4), int64(8)),
		Entry("matrices on the left", "MatMul", 0, 2, int64(4), int64(8), int64(4)),
		Entry("batches of matrices on the right", "MatMul", 1, 2, int64(4), int64(8), int64(4), int64(8)),
		Entry("batches of matrices on the left", "MatMul", 0, 3, int64(4), int64(4), int64(8), int64(4)),
		Entry("Conv1d, along C of KCS", "Conv", 1, 1, int64(8), int64(4), int64(4)),
		Entry("Conv2d, along C of KCRS", "Conv", 1, 1, int64(4), int64(8), int64(4), int64(4)),
	)

	DescribeTable("is that of the last of two weights with the same name", func(op string) {
		model := parts([]onnxtest.Node{node(op, "x", "w")}, []onnxtest.Tensor{
			weight("w", 2, 2, 1, 2, 3, 4), weight("w", 4, 2, 1, 0, 2, 0, 0, 1, 0, 1)})
		Expect(sparsity(model)).To(Equal(map[string]bool{"w": true}))
		Expect(describe.Diff(model, model)).To(BeEmpty())
	},
		Entry(nil, "MatMul"), Entry(nil, "Gemm"))

	It("lists the weights that it leaves out", func() {
		ints := onnxtest.Tensor{Name: "i", Type: 7, Dims: []int64{4}, Raw: make([]byte, 32)}
		found, err := describe.Sparsity(parts([]onnxtest.Node{node("MatMul", "x", "w"),
			node("MatMul", "x", "i"), node("Conv", "x", "v")},
			[]onnxtest.Tensor{weight("w", 3, 1, 1, 2, 3), ints,
				{Name: "v", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}}))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Text()).To(Equal("left out w tensor(float)[3,1]: its length along axis 0 is not " +
			`a multiple of 4
left out i tensor(int64)[4]: TensorRT has no sparse kernels for this type
left out v tensor(float)[1]: it has fewer than two axes
0 of 0 weights are 2:4 sparse
`))
	})
})

var _ = Describe("The parts of a description", func() {
	DescribeTable("are Polygraphy's", func(words string, want describe.Detail) {
		Expect(describe.ParseDetail(strings.Fields(words)...)).To(Equal(want))
	},
		Entry("none is all", "", describe.Full()),
		Entry("layers", "layers", describe.Detail{Layers: true}),
		Entry("all three", "weights layers attrs", describe.Full()),
	)
	It("exclude other words", func() {
		_, err := describe.ParseDetail("nodes")
		Expect(err).To(MatchError(ContainSubstring("expected layers, attrs or weights")))
		_, err = describe.ParseDetail("attrs")
		Expect(err).To(MatchError(ContainSubstring(`"attrs" requires "layers": pass both`)))
	})
})
