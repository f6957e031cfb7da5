//go:build linux && cgo

package decode_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/testing/skips"
	. "github.com/modelparity/modelparity/matchers"
)

// These specs need a GPU and TensorRT. The profile covers the first step, whose caches are empty,
// the second and the last.
var _ = Describe("TensorRT", Label("gpu"), func() {
	BeforeEach(func() {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
	})

	for _, name := range []string{"gpt2", "llama"} {
		for _, how := range []struct {
			steps  string
			option decode.Option
		}{{"a token", decode.Steps(1)}, {"two tokens", decode.Steps(2)}, {"all tokens", decode.Whole()}} {
			It("decodes "+name+" as ONNX Runtime does, "+how.steps+" a step", func(ctx SpecContext) {
				e := exportedAs(name)
				run := must(decode.Run(ctx, trt.Engine(), e.model, e.inputs(), how.option))
				match := MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(e.run(ctx, how.option))
				if name == "gpt2" && how.steps == "two tokens" {
					// Known finding (docs/evidence/findings.md): wrong from layer 0 on, by as much as the values
					// themselves, at every optimisation level.
					Expect(run).NotTo(match, "TensorRT is right now: take the finding out")
					return
				}
				Expect(run).To(match)
			}, SpecTimeout(5*time.Minute))
		}

		It("decodes "+name+" in FP16 with the tokens of float32", func(ctx SpecContext) {
			e := exportedAs(name)
			reference := must(decode.Run(ctx, ort.Engine(), e.model, e.padded()))
			run := must(decode.Run(ctx, trt.Engine(trt.FP16()), e.model, e.padded()))
			Expect(run).To(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-3), decisions.SameTop().AtLeast(1)}}).Of(reference))
			AddReportEntry(name, must(decisions.Logits{}.Table(run.Outputs(),
				reference.Outputs())).Text())
		}, SpecTimeout(5*time.Minute))

		It("decodes "+name+" as it prefills, and forgets rolled-back tokens", func(ctx SpecContext) {
			run := must(decode.Run(ctx, trt.Engine(), exportedAs(name).model,
				decode.Tokens([]int64{5, 17, 3, 42, 8, 1, 30, 2})))
			if steps := BeStepInvariant().Within(1e-3, 1e-3, Elementwise); name == "gpt2" {
				Expect(run).NotTo(steps) // the finding above
			} else {
				Expect(run).To(steps)
			}
			Expect(run).To(BeRollbackInvariant().Within(1e-3, 1e-3, Elementwise))
			Expect(run).To(BeSequenceInvariant().Within(1e-3, 1e-3, Elementwise))
		})

		It("is located by token, layer and head where "+name+" has wrong places",
			func(ctx SpecContext) {
				e := exportedAs(name)
				reference := must(decode.Run(ctx, ort.Engine(), e.model, e.inputs()))
				broken := must(decode.Run(ctx, trt.Engine(), e.rebased(), e.inputs()))
				found := must(decode.Part(broken, reference, loose))
				Expect(found).NotTo(BeNil())
				Expect(found.Layer).To(BeZero())
			})
	}

	// The encoder's caches are empty in the first step and have the encoder's length later, but the
	// exporter gave that dimension the name of the encoder's own length.
	It("rejects the merged branches of t5", func(ctx SpecContext) {
		e := exportedAs("t5")
		_, err := decode.Run(ctx, trt.Engine(), e.model, e.inputs())
		Expect(err).To(MatchError(ContainSubstring("contradictory IOptimizationProfile")))
	})
})

var _ = skips.Announce("trt is missing", "a GPU")
