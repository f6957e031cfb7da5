package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("BeExactOnIntegers", func() {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8))

	BeforeEach(func() {
		ort.Require(GinkgoT())
		tract.Require(GinkgoT())
	})

	It("takes engines that compute in float32", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, inputs)).To(BeExactOnIntegers())
		Expect(tract.Run(ctx, model, inputs)).To(BeExactOnIntegers(ort.Engine()))
	})

	It("refuses one that computes in less, and says in what", func(ctx SpecContext) {
		half, err := tract.Run(ctx, model, inputs, tract.FP16())
		Expect(err).NotTo(HaveOccurred())
		Expect(failure(BeExactOnIntegers(ort.Engine()), half)).To(And(
			HavePrefix("Expected exact results for the integer twin (model with integer weights), but\n"),
			ContainSubstring("tract FP16: fp16: "), ContainSubstring("4 of 4 layers affect the outputs")))
		Expect(half).NotTo(BeExactOnIntegers())
		_, err = BeExactOnIntegers(tract.Engine(tract.FP16())).Match(half)
		Expect(err).To(MatchError(ContainSubstring("the reference engine is not exact itself")))
	})

	It("is an error without an engine", func() {
		_, err := BeExactOnIntegers().Match(run(set("y", f32(1))))
		Expect(err).To(MatchError(ContainSubstring("the run was read from a file")))
		_, err = BeExactOnIntegers().Match((*backends.Run)(nil))
		Expect(err).To(MatchError(ContainSubstring("wanted a *backends.Run")))
	})
})
