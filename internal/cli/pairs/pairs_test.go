package pairs_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

func TestPairs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "pairs")
}

var _ = Describe("Comparing runs in a row", func() {
	within := compare.Options{Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}}
	named := func(name string, values ...float32) runs.Named {
		GinkgoHelper()
		set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(values...)})
		Expect(err).NotTo(HaveOccurred())
		return runs.Named{Name: name, Run: backends.NewRun(backends.Provenance{
			Backend: "onnxruntime", Version: "1.31.1"}, backends.Iteration{Outputs: set})}
	}

	It("holds each run to the next one", func(ctx SpecContext) {
		pairs, err := pairs.Compare(ctx, []runs.Named{named("a", 1), named("b", 1),
			named("c", 2)}, within)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs).To(HaveLen(2))
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
		Expect(pairs[1].Report.Verdict).To(Equal(compare.Fail))
		Expect(pairs[1].Actual).To(HavePrefix("b (onnxruntime 1.31.1"))
	})

	It("stops at the first difference where that is asked for", func(ctx SpecContext) {
		fast := within
		fast.FailFast = true
		pairs, err := pairs.Compare(ctx, []runs.Named{named("a", 1), named("b", 2),
			named("c", 3)}, fast)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs).To(HaveLen(1))
	})

	It("looks a run alone over for what is not finite, and compares it with nothing", func(
		ctx SpecContext) {
		_, err := pairs.Compare(ctx, []runs.Named{named("a", 1)}, within)
		Expect(err).To(MatchError(ContainSubstring("nothing to compare it with")))
		finite := within
		finite.Finite = true
		pairs, err := pairs.Compare(ctx, []runs.Named{named("a", 1)}, finite)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Expected).To(BeEmpty())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
	})
})
