package ort_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A large model that was marked", func() {
	// marked is y = -|x|, with |x| marked, and a weight of 65 MiB that nothing reads.
	marked := func() *loaders.Model {
		GinkgoHelper()
		vector := []any{1}
		m := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Abs", In: []string{"x"}, Out: []string{"middle"}},
				{Op: "Neg", In: []string{"middle"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "ballast", Type: 2, Dims: []int64{65 << 20},
				Raw: make([]byte, 65<<20)}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: vector}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: vector}},
		}}
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		Expect(os.WriteFile(path, m.Bytes(), 0o600)).To(Succeed())
		model, err := loaders.ONNX(path).Mark("middle")
		Expect(err).NotTo(HaveOccurred())
		return model
	}

	It("is read from a temporary file, of which nothing stays", func(ctx SpecContext) {
		model, temporary := marked(), GinkgoT().TempDir()
		GinkgoT().Setenv("TMPDIR", temporary)
		result, err := ort.Run(ctx, model, x(tensor.Of[float32](-4)))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(result.Iterations()[0].Outputs)).To(ConsistOf(
			"y: float32[1] [-4]", "middle: float32[1] [4]"))
		Expect(os.ReadDir(temporary)).To(BeEmpty())
	})

	It("says so where there is no room for one", func(ctx SpecContext) {
		model := marked()
		GinkgoT().Setenv("TMPDIR", filepath.Join(GinkgoT().TempDir(), "absent"))
		_, err := ort.Run(ctx, model, x(tensor.Of[float32](-4)))
		Expect(err).To(MatchError(os.ErrNotExist))
		Expect(err).To(MatchError(ContainSubstring("onnxruntime")))
	})
})
