package golden_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A comparison by a script", func() {
	run := func(values ...float32) *backends.Run {
		GinkgoHelper()
		made := backends.NewRun(backends.Provenance{})
		for _, v := range values {
			set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(v)})
			Expect(err).NotTo(HaveOccurred())
			made.Append(backends.Iteration{Outputs: set})
		}
		return made
	}
	judged := func(ctx context.Context, verdicts func(a, e float32) map[string]compare.Judgement) (
		compare.Report, error) {
		script := func(_ context.Context, actual, expected *tensor.Set) (
			map[string]compare.Judgement, error) {
			return verdicts(float32(actual.At(0).Tensor.Float64At(0)),
				float32(expected.At(0).Tensor.Float64At(0))), nil
		}
		return golden.Scripted(ctx, "mine", script, compare.Options{})(run(1, 2), run(1, 5))
	}

	It("has the script's verdict over each output of each iteration", func(ctx SpecContext) {
		report, err := judged(ctx, func(a, e float32) map[string]compare.Judgement {
			j := compare.Judgement{Verdict: compare.Pass}
			if a != e {
				j = compare.Judgement{Verdict: compare.Fail, Text: "they differ"}
			}
			return map[string]compare.Judgement{"y": j}
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.Outputs).To(HaveLen(2))
		Expect(report.Outputs[0].Verdict).To(Equal(compare.Pass))
		Expect(report.Outputs[1].Reason).To(ContainSubstring("they differ"))
	})

	It("is an error where the script leaves an output out, or judges another", func(ctx SpecContext) {
		_, err := judged(ctx, func(float32, float32) map[string]compare.Judgement { return nil })
		Expect(err).To(MatchError(ContainSubstring("the script says nothing of this output")))
		_, err = judged(ctx, func(float32, float32) map[string]compare.Judgement {
			return map[string]compare.Judgement{"z": {Verdict: compare.Pass}}
		})
		Expect(err).To(MatchError(ContainSubstring(`it judges an output "z", and there are [y]`)))
	})
})
