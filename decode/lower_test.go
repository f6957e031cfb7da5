package decode_test

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// lowerVariable names the folder of the fp16 and int8 decoders that make decoders-lower builds.
const lowerVariable = "MODELPARITY_DECODERS_LOWER"

var _ = Describe("Decoders in lower precisions", func() {
	folder := os.Getenv(lowerVariable)
	if folder == "" {
		return
	}
	BeforeEach(func() { ort.Require(GinkgoT()) })
	run := func(ctx context.Context, name, precision string) *backends.Run {
		GinkgoHelper()
		model := loaders.ONNX(filepath.Join(folder, name+"-"+precision+".onnx"))
		return must(decode.Run(ctx, ort.Engine(), model, exportedAs(name).inputs().Cast(model)))
	}

	for _, name := range architectures {
		It("stay within their limits, with fp16 nearer than int8, in "+name, func(ctx SpecContext) {
			float32s := exportedAs(name).run(ctx)
			half, int8 := run(ctx, name, "fp16"), run(ctx, name, "int8")
			Expect(half).To(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-5), decisions.SameTop().AtLeast(0.9),
				decisions.PerplexityRatio().AtMost(1.01)}}).Of(float32s))
			Expect(int8).To(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(0.02), decisions.SameTop().AtLeast(0.7),
				decisions.PerplexityRatio().AtMost(1.1)}}).Of(float32s))
			Expect(int8).NotTo(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-5)}}).Of(float32s))
			kld := func(of *backends.Run) float64 {
				table := must(decisions.Logits{}.Table(of.Outputs(), float32s.Outputs()))
				AddReportEntry(of.Provenance.Model, table.Text())
				return table.Of(decisions.MeanKLD()).Value
			}
			Expect(kld(half)).To(BeNumerically("<", kld(int8)/10))
			Expect(must(decode.Part(int8, float32s, near))).NotTo(BeNil())
		})
	}
})
