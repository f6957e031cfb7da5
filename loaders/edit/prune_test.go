package edit_test

import (
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// products is x·a, where a is [4,2], then ·b, a Gemm with transB whose b is [2,2], then a Conv1d of
// four channels with a weight [2,4,1], behind a Transpose of a weight [4,8].
func products() onnxtest.Model {
	one := int64(1)
	ramp := func(n int) []byte {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i+1) * float32(1-i%2*2)
		}
		return onnxtest.Float32s(values...)
	}
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "MatMul", In: []string{"x", "a"}, Out: []string{"y"}},
			{Op: "Gemm", In: []string{"y", "b"}, Out: []string{"z"},
				Attrs: []onnxtest.Attr{{Name: "transB", Int: &one}}},
			{Op: "Conv", In: []string{"i", "c"}, Out: []string{"o"}},
			{Op: "Transpose", In: []string{"t"}, Out: []string{"u"},
				Attrs: []onnxtest.Attr{{Name: "perm", Ints: []int64{1, 0}}}},
			{Op: "MatMul", In: []string{"v", "u"}, Out: []string{"w"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "a", Type: 1, Dims: []int64{4, 2}, Raw: ramp(8)},
			{Name: "b", Type: 1, Dims: []int64{2, 2}, Raw: ramp(4)},
			{Name: "c", Type: 1, Dims: []int64{2, 4, 1}, Raw: ramp(8)},
			{Name: "t", Type: 1, Dims: []int64{2, 8}, Raw: ramp(16)}},
		Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 4}},
			{Name: "i", Elem: 1, Dims: []any{1, 4, 3}}, {Name: "v", Elem: 1, Dims: []any{1, 8}}},
		Outputs: []onnxtest.Value{{Name: "z", Elem: 1, Dims: []any{1, 2}},
			{Name: "o", Elem: 1, Dims: []any{1, 2, 3}}, {Name: "w", Elem: 1, Dims: []any{1, 2}}},
	}}
}

// sparseWeights lists the weights that are 2:4 sparse.
func sparseWeights(m *loaders.Model) (sparse []string) {
	GinkgoHelper()
	found, err := describe.Sparsity(m)
	Expect(err).NotTo(HaveOccurred())
	for _, w := range found.Weights {
		if w.Sparse {
			sparse = append(sparse, w.Name)
		}
	}
	return sparse
}

var _ = Describe("Prune", func() {
	model := loaders.ONNXBytes("m", products().Bytes())

	It("sets two of four to zero along the axis that products add up", func() {
		pruned, report, err := edit.Prune(model)
		Expect(err).NotTo(HaveOccurred())
		values := func(name string) []float64 {
			w, err := pruned.Weight(name)
			Expect(err).NotTo(HaveOccurred())
			return w.Float64s()
		}
		Expect(values("a")).To(Equal([]float64{0, 0, 0, 0, 5, -6, 7, -8}))
		Expect(values("b")).To(Equal([]float64{1, -2, 3, -4}))
		Expect(values("c")).To(Equal([]float64{0, 0, 3, -4, 0, 0, 7, -8}))
		Expect(values("t")).To(Equal([]float64{0, 0, 3, -4, 0, 0, 7, -8, 0, 0, 11, -12, 0, 0, 15, -16}))
		Expect(report).To(ConsistOf(edit.PrunedWeight{Name: "a", Zeroed: 4},
			edit.PrunedWeight{Name: "c", Zeroed: 4}, edit.PrunedWeight{Name: "t", Zeroed: 8},
			edit.PrunedWeight{Name: "b", Kept: "its length along axis 1 is not a multiple of 4"}))
		Expect(sparseWeights(model)).To(BeEmpty())
		Expect(sparseWeights(pruned)).To(Equal([]string{"a", "c", "t"}))
	})

	It("gives the weights of Polygraphy's surgeon prune", func() {
		python := pythontest.With(GinkgoT(), "polygraphy.tools.sparse", "onnx", "numpy")
		original := write(products().Bytes())
		theirs := filepath.Join(GinkgoT().TempDir(), "theirs.onnx")
		out, err := exec.Command(python, "-c", "import onnx, sys\n"+
			"from polygraphy.tools.sparse import SparsityPruner\n"+
			"onnx.save(SparsityPruner(onnx.load(sys.argv[1])).prune(), sys.argv[2])", original.Path(),
			theirs).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		pruned, _, err := edit.Prune(original)
		Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"a", "b", "c", "t"} {
			Expect(pruned.Weight(name)).To(Equal(must(loaders.ONNX(theirs).Weight(name))), name)
		}
	})
})

var _ = Describe("StripWeights", func() {
	It("takes weights away, and ReconstructWeights puts others there", func() {
		pruned, _, err := edit.Prune(loaders.ONNXBytes("m", products().Bytes()))
		Expect(err).NotTo(HaveOccurred())
		stripped, names, err := edit.StripWeights(pruned, "b")
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(Equal([]string{"a", "c", "t"}))
		before, err := pruned.Size()
		Expect(err).NotTo(HaveOccurred())
		Expect(stripped.Size()).To(BeNumerically("<", before-8*4))
		_, err = stripped.Weight("a")
		Expect(err).To(MatchError(ContainSubstring("elements is missing; if the weights were stripped, " +
			"use the complete model or reconstruct them first")))
		_, _, err = edit.StripWeights(stripped)
		Expect(err).To(MatchError(ContainSubstring(`initializer "a" is already stripped: strip the ` +
			"complete model, or reconstruct the weights of this one first")))
		Expect(stripped.Weight("b")).To(Equal(must(pruned.Weight("b"))))

		full, names, err := edit.ReconstructWeights(stripped, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(Equal([]string{"a", "c", "t"}))
		Expect(sparseWeights(full)).To(Equal([]string{"a", "c", "t"}))
		again, _, err := edit.ReconstructWeights(stripped, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Weight("a")).To(Equal(must(full.Weight("a"))))
		other, _, err := edit.ReconstructWeights(stripped, 2)
		Expect(err).NotTo(HaveOccurred())
		Expect(other.Weight("a")).NotTo(Equal(must(full.Weight("a"))))

		_, _, err = edit.ReconstructWeights(full, 1)
		Expect(err).To(MatchError(ContainSubstring("the model has no stripped weights")))
		_, _, err = edit.StripWeights(pruned, "nothing")
		Expect(err).To(MatchError(ContainSubstring(`no initializer "nothing"`)))
	})

	It("marks what is missing as Polygraphy and TensorRT do", func() {
		pruned, _, err := edit.Prune(loaders.ONNXBytes("m", products().Bytes()))
		Expect(err).NotTo(HaveOccurred())
		stripped, _, err := edit.StripWeights(pruned)
		Expect(err).NotTo(HaveOccurred())
		data, err := stripped.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(data), "TRT_WEIGHTLESS/SPARSE_2_4")).To(Equal(3))
		Expect(strings.Count(string(data), "TRT_WEIGHTLESS")).To(Equal(5)) // b's, and the model's
	})

	It("refuses to make up a weight that its shape alone makes huge", func() {
		model := products()
		model.Graph.Initializers[0].Dims = []int64{1 << 20, 1 << 20}
		huge := loaders.ONNXBytes("m", model.Bytes())
		stripped, _, err := edit.StripWeights(huge)
		if err == nil {
			_, _, err = edit.ReconstructWeights(stripped, 1)
		}
		Expect(err).To(HaveOccurred())
	})
})
