package accuracy_test

import (
	"math"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Saved results judged again", func() {
	saved := func(checks []compare.Check, actual, expected *tensor.Tensor) string {
		GinkgoHelper()
		r, err := compare.Sets(set("a", actual), set("a", expected), compare.Options{Checks: checks})
		Expect(err).NotTo(HaveOccurred())
		path := temporary("accuracy.json")
		Expect(accuracy.Write(path, []compare.Pair{{Actual: "x", Expected: "y", Report: r},
			{Actual: "y", Expected: "z", Report: r}})).To(Succeed())
		return path
	}
	within := compare.Within
	floats := func(values ...float32) *tensor.Tensor { return tensor.Of(values...) }
	judge := func(ctx SpecContext, path string, checks ...compare.Check) ([]compare.Pair, error) {
		return accuracy.Judge(ctx, []string{path}, len(checks) > 0, compare.Options{Checks: checks})
	}
	verdict := func(ctx SpecContext, path string, checks ...compare.Check) string {
		GinkgoHelper()
		pairs, err := judge(ctx, path, checks...)
		if err != nil {
			return "error: " + err.Error()
		}
		Expect(pairs).To(HaveLen(2), "both pairs that were saved")
		return string(pairs[1].Report.Verdict)
	}

	DescribeTable("follow the errors that were kept", func(ctx SpecContext, was, is compare.Check,
		want string) { // the errors are 0.1 (10 %) and 0.5 (0.5 %)
		path := saved([]compare.Check{was}, floats(1.1, 100.5), floats(1, 100))
		Expect(verdict(ctx, path, is)).To(HavePrefix(want))
	},
		Entry("max", within(0, 0, compare.Max), within(0.6, 0, compare.Max), "pass"),
		Entry("max, by the relative error", within(0, 0, compare.Max), within(0, 0.2, compare.Max),
			"pass"),
		Entry("max, too great", within(1, 1, compare.Max), within(0.4, 0, compare.Max), "fail"),
		Entry("max, of what a quantile judged", within(0, 0, compare.Quantile(0.5)),
			within(0.6, 0, compare.Max), "pass"),
		Entry("mean", within(0, 0, compare.Max), within(0.31, 0, compare.Mean), "pass"),
		Entry("median, too great", within(1, 1, compare.Elementwise), within(0.2, 0, compare.Median),
			"fail"),
		Entry("elementwise, by the greatest errors", within(0, 0, compare.Elementwise),
			within(0.6, 0, compare.Elementwise), "pass"),
		Entry("elementwise, wider than what passed", within(0.2, 0.01, compare.Elementwise),
			within(0.3, 0.01, compare.Elementwise), "pass"),
		Entry("elementwise, tighter than what failed", within(0.05, 0.001, compare.Elementwise),
			within(0.04, 0.001, compare.Elementwise), "fail"),
		Entry("elementwise, where the elements decide", within(0.05, 0.001, compare.Elementwise),
			within(0.2, 0.001, compare.Elementwise), "error: "),
		Entry("l2", compare.L2(0), compare.L2(1), "pass"),
		Entry("l2, too great", compare.L2(1), compare.L2(0.1), "fail"),
		Entry("what was not kept", compare.L2(1), compare.PSNR(10), "error: "),
		Entry("what Polygraphy does not keep", compare.ULP(1), compare.ULP(100), "error: "),
		Entry("a quantile, of which the file does not say which it is", within(0, 0, compare.Max),
			within(1, 1, compare.Quantile(0.9)), "error: "),
		Entry("a tolerated fraction", within(0, 0, compare.Elementwise),
			within(1, 1, compare.Elementwise).AllowMismatch(0.5), "error: "),
	)

	It("never pass because of elements that have no error", func(ctx SpecContext) {
		nan := float32(math.NaN())
		for _, was := range []compare.Stat{compare.Elementwise, compare.Max, compare.Mean} {
			path := saved([]compare.Check{within(1, 1, was)}, floats(1, nan), floats(1, nan))
			for _, is := range []compare.Stat{compare.Elementwise, compare.Max, compare.Mean,
				compare.Median} {
				Expect(verdict(ctx, path, within(2, 2, is))).NotTo(Equal("pass"), "%s, %s", was, is)
			}
			Expect(verdict(ctx, path)).To(Equal("fail"))
		}
	})

	It("keep their own limits where none are given", func(ctx SpecContext) {
		checks := []compare.Check{within(1, 1, compare.Max), compare.L2(0.1)}
		path := saved(checks, floats(1.1, 100.5), floats(1, 100))
		pairs, err := judge(ctx, path)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Fail))
		Expect(pairs[0].Report.Outputs[0].Reason).To(HavePrefix("l2_norm 0.5099 (threshold 0.1"))
	})

	It("are averaged over the iterations where that is asked for", func(ctx SpecContext) {
		r, err := compare.Runs([]*tensor.Set{set("a", floats(1)), set("a", floats(2))},
			[]*tensor.Set{set("a", floats(1)), set("a", floats(1))},
			compare.Options{Checks: []compare.Check{within(0.6, 0, compare.Max)}})
		Expect(err).NotTo(HaveOccurred())
		path := temporary("accuracy.json")
		Expect(accuracy.Write(path, []compare.Pair{{Actual: "x", Expected: "y", Report: r}})).To(
			Succeed())
		for average, want := range map[bool]compare.Verdict{true: compare.Pass, false: compare.Fail} {
			pairs, err := accuracy.Judge(ctx, []string{path}, true, compare.Options{
				Checks: []compare.Check{within(0.6, 0, compare.Max)}, Average: average})
			Expect(err).NotTo(HaveOccurred())
			Expect(pairs[0].Report.Verdict).To(Equal(want))
		}
	})

	It("refuse what holds no result, and what numbers cannot follow", func(ctx SpecContext) {
		path := temporary("none.json")
		Expect(os.WriteFile(path, []byte(`{"lst": [{"lst": [[["a", "b"], []]]}]}`), 0o600)).To(Succeed())
		_, err := judge(ctx, path, within(1, 1, compare.Max))
		Expect(err).To(MatchError(ContainSubstring("has no results")))
		path = saved([]compare.Check{within(1, 1, compare.Max)}, floats(1), floats(1))
		one := compare.Options{Checks: []compare.Check{within(1, 1, compare.Max)}}
		for says, change := range map[string]func(*compare.Options){
			"contain no tensors, so only tolerances": func(o *compare.Options) { o.Finite = true },
			"pass the saved runs instead":            func(o *compare.Options) { o.Only = []string{"b"} },
			"no output is called b": func(o *compare.Options) {
				o.PerOutput = map[string][]compare.Check{"b": o.Checks}
			},
			"Options has no check": func(o *compare.Options) { o.Checks = nil },
		} {
			o := one
			change(&o)
			_, err := accuracy.Judge(ctx, []string{path}, true, o)
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})
