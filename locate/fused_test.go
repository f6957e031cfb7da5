package locate_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A difference in the fused graph", func() {
	It("is blamed on the pass that makes products of int4 weights", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		m := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
		subject := func(o ...ort.Option) backends.Subject {
			return backends.Subject{Engine: ort.Engine(o...), Model: m,
				Inputs: fixtures.Random(m, fixtures.Seed(1))}
		}
		found, err := locate.Divergence(ctx, subject(ort.AccuracyLevel(ort.AccuracyInt8)),
			subject(ort.OptimizationLevel(ort.OptimizeNone)), locate.Options{Isolate: true,
				Compare: compare.Options{Checks: []compare.Check{
					compare.Within(1e-3, 1e-3, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Cause).To(Equal("the outputs differ only in the fused graph of the actual side: " +
			"without the optimiser's QDQSelectorActionTransformer, which makes MatMulNBits of " +
			`DequantizeLinear "weight" (node 0), MatMul "product" (node 1), they agree`))
		Expect(found.Fused.Sessions).To(Equal(4))
	})
})
