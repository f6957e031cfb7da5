package ort_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Run", func() {
	BeforeEach(func() { ort.Need(GinkgoT()) })

	It("gives the outputs, their order and the provenance", func(ctx SpecContext) {
		model := loaders.ONNX("testdata/scalar_mul.onnx")
		ins, _ := model.Inputs()
		outs, _ := model.Outputs()
		GinkgoWriter.Println(ins, outs)
		x, err := tensor.NewSet(tensor.Entry{Name: ins[0].Name, Tensor: tensor.Scalar[float32](3)})
		Expect(err).NotTo(HaveOccurred())
		run, err := ort.Run(ctx, model, fixtures.Of(x))
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(run.Iterations[0].Outputs.GomegaString(), run.Provenance)
	})
})
