package decode_test

import (
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A run of a decoder is an ordinary run", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("matches its golden file, which stores the note about its caches", func(ctx SpecContext) {
		e := exportedAs("llama")
		Expect(e.run(ctx, decode.TopK(5))).To(MatchGolden("llama").Within(1e-4, 1e-4, Elementwise))
	})

	It("has noise that explains other kernels but not a fault", func(ctx SpecContext) {
		e := exportedAs("llama")
		run := e.run(ctx)
		Expect(e.run(ctx, decode.Whole())).To(MatchWithinNoise().Of(run))
		broken, err := decode.Run(ctx, faulty{ort.Engine(), corrupted}, e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(broken).NotTo(MatchWithinNoise().Of(run))
	})

	It("is located by token, layer and cache", func(ctx SpecContext) {
		e := exportedAs("t5")
		broken, err := decode.Run(ctx, faulty{ort.Engine(), corrupted}, e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		m := MatchOutputsWithin(2e-5, 2e-5, Elementwise).Of(e.run(ctx)).Locating()
		Expect(m.Match(broken)).To(BeFalse())
		Expect(m.FailureMessage(broken)).To(ContainSubstring(
			`the runs first differ at token 3, in layer 1 key, head 0 (output "present.1.decoder.key"`))
		loose := MatchOutputsWithin(2e-5, 2e-5, Elementwise).
			ForOutput("present.*.decoder.key", 100, 0, Elementwise).Of(e.run(ctx)).Locating()
		Expect(loose.Match(broken)).To(BeFalse())
		Expect(loose.FailureMessage(broken)).To(ContainSubstring("in logits")) // layer 1 is the last
	})

	It("is repeatable, and runs in an isolated process", func(ctx SpecContext) {
		e := exportedAs("gpt2")
		run := e.run(ctx, decode.Greedy(3))
		Expect(run).To(BeRepeatable(2))
		apart, err := backends.RunIn(ctx, isolated.Engine(decode.Engine(ort.Engine(),
			decode.Greedy(3))), e.model, e.inputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(apart).To(MatchOutputsWithin(0, 0, Elementwise).Of(run))
		Expect(decode.Part(apart, run, near)).To(BeNil())
	})

	It("records its engine and its options", func(ctx SpecContext) {
		run := exportedAs("gpt2").run(ctx, decode.Steps(5))
		Expect(run.Provenance.Backend).To(Equal("onnxruntime"))
		Expect(run.Provenance.Computed).To(Equal(backends.Float32))
		Expect(run.Provenance.Options).To(HaveKeyWithValue("decode", "token by token Steps(5)"))
		Expect(run.Subject().Repeatable()).To(Succeed())
		Expect(run.Iterations()[0].Runtime).To(BeNumerically(">", 0))
	})
})

var _ = Describe("The decisions of a decoder", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, name := range architectures {
		It("do not depend on steps and levels, in "+name, func(ctx SpecContext) {
			e := exportedAs(name)
			plain, err := decode.Run(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), e.model,
				e.padded())
			Expect(err).NotTo(HaveOccurred())
			run, err := decode.Run(ctx, ort.Engine(), e.model, e.padded(), decode.Whole())
			Expect(err).NotTo(HaveOccurred())
			Expect(run).To(MatchDecisionsWithinNoise(decisions.Logits{}).Of(plain))
			Expect(run).To(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MaxKLD().AtMost(1e-8), decisions.SameTop().AtLeast(1),
				decisions.PerplexityRatio().AtMost(1.0001), decisions.TopError(0).AtMost(1e-4)}}).Of(plain))
			greedy := e.run(ctx, decode.Greedy(6))
			Expect(e.run(ctx, decode.Greedy(6), decode.Steps(12, 1))).To(
				MatchDecisions(decisions.Tokens{}).Of(greedy))
		})

		It("differ if positions are wrong, in "+name, func(ctx SpecContext) {
			e := exportedAs(name)
			right := e.run(ctx, decode.Greedy(20))
			broken, err := decode.Run(ctx, ort.Engine(), e.spoiled(), e.inputs(), decode.Greedy(20))
			Expect(err).NotTo(HaveOccurred())
			m := MatchDecisions(decisions.Tokens{Margin: 1e-4}).Of(right)
			Expect(m.Match(broken)).To(BeFalse())
			Expect(m.FailureMessage(broken)).To(MatchRegexp(
				`sequence \d, place 1\d: [\d …]+, expected [\d …]+ \(margin`))
			Expect(m.FailureMessage(broken)).To(ContainSubstring("in the expected logits, "))

			m = MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-3)}}).Of(e.run(ctx))
			broken, err = decode.Run(ctx, ort.Engine(), e.spoiled(), e.inputs())
			Expect(err).NotTo(HaveOccurred())
			Expect(m.Match(broken)).To(BeFalse())
			Expect(m.FailureMessage(broken)).To(MatchRegexp(
				`the top token first differs at sequence \d, token \d`))
		})
	}

	It("explain what is missing if the logits were not kept", func(ctx SpecContext) {
		run := exportedAs("gpt2").run(ctx, decode.TopK(5))
		_, err := MatchDecisions(decisions.Logits{}).Of(run).Match(run)
		Expect(err).To(MatchError(ContainSubstring("name the output to compare")))
	})
})

// spoiled divides the model's greatest weights by ten.
func (e exported) spoiled() *loaders.Model {
	GinkgoHelper()
	changed, err := edit.ReplaceConstants(e.model, func(c loaders.Constant) (*tensor.Tensor, error) {
		values, err := tensor.Values[float32](c.Values)
		if err != nil || len(values) < 512 {
			return nil, nil //nolint:nilerr // leave other element types unchanged
		}
		values = slices.Clone(values)
		for i, v := range values {
			if math.Abs(float64(v)) > 0.3 {
				values[i] /= 10
			}
		}
		return tensor.New(c.Values.Shape(), values)
	})
	Expect(err).NotTo(HaveOccurred())
	return changed
}
