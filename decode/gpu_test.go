//go:build linux && cgo

package decode_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	. "github.com/modelparity/modelparity/matchers"
)

// What needs a GPU and a real TensorRT. The profile holds the first step, whose caches are empty,
// the second and the last.
var _ = Describe("TensorRT", Label("gpu"), func() {
	BeforeEach(func() {
		ort.Require(GinkgoT())
		trt.Require(GinkgoT())
	})

	for _, name := range []string{"gpt2", "llama"} {
		It("decodes "+name+" as ONNX Runtime does", func(ctx SpecContext) {
			e := exportedAs(name)
			reference := must(decode.Run(ctx, ort.Engine(), e.model, e.padded()))
			run := must(decode.Run(ctx, trt.Engine(), e.model, e.padded()))
			Expect(run).To(MatchOutputsWithin(1e-3, 1e-3, Elementwise).Of(reference).Locating())
			Expect(run).To(MatchLogits().AtMost(decisions.MaxKLD(), 1e-5).
				AtLeast(decisions.SameTop(), 1).Of(reference))
			half := must(decode.Run(ctx, trt.Engine(trt.FP16()), e.model, e.padded()))
			Expect(half).To(MatchLogits().AtMost(decisions.MeanKLD(), 1e-3).Of(reference))
			AddReportEntry(name, must(decisions.Logits{}.Table(half.Outputs(),
				reference.Outputs())).Text())
		})

		It("decodes "+name+" as it prefills, and forgets what is taken back", func(ctx SpecContext) {
			run := must(decode.Run(ctx, trt.Engine(), exportedAs(name).model,
				decode.Tokens([]int64{5, 17, 3, 42, 8, 1, 30, 2})))
			Expect(run).To(BeStepInvariant().Within(1e-3, 1e-3, Elementwise))
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
})

// A build server has no GPU. It reads from this line how many skipped specs need one (.ci/skipped).
var _ = ReportAfterSuite("skipped for want of a GPU", func(report Report) {
	skipped := 0
	for _, spec := range report.SpecReports.WithState(types.SpecStateSkipped) {
		if slices.Contains(spec.Labels(), "gpu") {
			skipped++
		}
	}
	if skipped > 0 {
		fmt.Printf("\nmodelparity: %d skipped specs need a GPU\n", skipped)
	}
})
