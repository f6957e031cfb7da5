package dynamic_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("encoder", Label("backend:onnxruntime", "dtype:fp32"), func() {
	model := loaders.ONNX("testdata/encoder.onnx") // tokens int64 [batch,sequence]

	tokens := func(batch, sequence int, options ...fixtures.Option) fixtures.Inputs {
		return fixtures.Random(model, append(options,
			fixtures.Shape("tokens", batch, sequence), fixtures.ValRange(0, 63))...)
	}

	limit := SpecTimeout(30 * time.Second)

	// Engines switch kernels at these sizes: one element, odd sizes, powers of two, the longest.
	shapes := []TableEntry{
		Entry("one token", limit, 1, 1),
		Entry("one sequence", limit, 1, 16),
		Entry("odd sizes", limit, 3, 7),
		Entry("a full batch", limit, 8, 32),
		Entry("the longest sequence", limit, 2, 128),
	}

	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("still gives the outputs we shipped",
		func(ctx SpecContext, batch, sequence int) {
			Expect(ort.Run(ctx, model, tokens(batch, sequence))).To(And(
				HaveOutput("states", HaveShape(batch, sequence, 32)),
				HaveOutput("embedding", HaveShape(batch, 32)),
				MatchGolden(fmt.Sprintf("encoder-%dx%d", batch, sequence)).
					Within(1e-4, 1e-4, Elementwise)))
		}, shapes)

	DescribeTable("gives the same answers with and without graph optimisation",
		func(ctx SpecContext, batch, sequence int) {
			inputs := tokens(batch, sequence, fixtures.Seed(2), fixtures.Iterations(3))
			Expect(ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeAll))).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).
					ForOutput("embedding", 1e-5, 1e-5, Elementwise).
					Of(ort.Run(ctx, model, inputs, ort.OptimizationLevel(ort.OptimizeNone))))
		}, shapes)

	It("rejects sequences longer than its table of positions", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, tokens(1, 129))).Error().To(
			MatchError(ContainSubstring("128 by 129")))
	}, limit)
})
