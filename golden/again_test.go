package golden_test

import (
	"math"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Saved results judged again", func() {
	saved := func(checks []compare.Check, actual, expected *tensor.Tensor) string {
		GinkgoHelper()
		r, err := compare.Sets(set("a", actual), set("a", expected), compare.Options{Checks: checks})
		Expect(err).NotTo(HaveOccurred())
		path := temporary("accuracy.json")
		Expect(golden.WriteAccuracy(path, []compare.Pair{{Actual: "x", Expected: "y", Report: r},
			{Actual: "y", Expected: "z", Report: r}})).To(Succeed())
		return path
	}
	within := compare.Within
	floats := func(values ...float32) *tensor.Tensor { return tensor.Of(values...) }
	judge := func(ctx SpecContext, path string, checks ...compare.Check) ([]compare.Pair, error) {
		return golden.JudgeSaved(ctx, []string{path}, len(checks) > 0, compare.Options{Checks: checks})
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
		Expect(golden.WriteAccuracy(path, []compare.Pair{{Actual: "x", Expected: "y", Report: r}})).To(
			Succeed())
		for average, want := range map[bool]compare.Verdict{true: compare.Pass, false: compare.Fail} {
			pairs, err := golden.JudgeSaved(ctx, []string{path}, true, compare.Options{
				Checks: []compare.Check{within(0.6, 0, compare.Max)}, Average: average})
			Expect(err).NotTo(HaveOccurred())
			Expect(pairs[0].Report.Verdict).To(Equal(want))
		}
	})

	It("refuse what holds no result, and what numbers cannot follow", func(ctx SpecContext) {
		path := temporary("none.json")
		Expect(os.WriteFile(path, []byte(`{"lst": [{"lst": [[["a", "b"], []]]}]}`), 0o600)).To(Succeed())
		_, err := judge(ctx, path, within(1, 1, compare.Max))
		Expect(err).To(MatchError(ContainSubstring("holds no result")))
		path = saved([]compare.Check{within(1, 1, compare.Max)}, floats(1), floats(1))
		one := compare.Options{Checks: []compare.Check{within(1, 1, compare.Max)}}
		for says, change := range map[string]func(*compare.Options){
			"of NaN takes the tensors": func(o *compare.Options) { o.Finite = true },
			"of top-k takes the tensors": func(o *compare.Options) {
				o.TopK = map[string]compare.TopK{"": {K: 1}}
			},
			"no output is called b":         func(o *compare.Options) { o.Only = []string{"b"} },
			"no output is left to judge":    func(o *compare.Options) { o.Except = []string{"*"} },
			"Options has no check":          func(o *compare.Options) { o.Checks = nil },
			"of shapes takes the tensors":   func(o *compare.Options) { o.AnyShape = true },
			"of infinities takes the tenso": func(o *compare.Options) { o.InfinitiesEqual = true },
		} {
			o := one
			change(&o)
			_, err := golden.JudgeSaved(ctx, []string{path}, true, o)
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})

var _ = Describe("Saved data put together", func() {
	inputs := func(sets ...*tensor.Set) string {
		GinkgoHelper()
		var text []string
		for i, s := range sets {
			path := temporary(strings.Repeat("i", i+1) + ".npz")
			Expect(golden.WriteRuns(path, []golden.Named{{Name: "r", Run: runOf(s)}})).To(Succeed())
			text = append(text, path)
		}
		joined, err := golden.Concat(text...)
		Expect(err).NotTo(HaveOccurred())
		path := temporary("inputs.json")
		Expect(joined.Save(path)).To(Succeed())
		return path
	}
	outputs := func(names ...string) string {
		GinkgoHelper()
		var runs []golden.Named
		for i, name := range names {
			runs = append(runs, golden.Named{Name: name,
				Run: runOf(must("y", tensor.Of(float32(i))))})
		}
		path := temporary("outputs.json")
		Expect(golden.WriteRuns(path, runs)).To(Succeed())
		return path
	}
	x := func(v float32) *tensor.Set { return must("x", tensor.Of(v)) }

	It("has every iteration's own tensors, where Polygraphy's merge repeats the last", func() {
		first, second := inputs(x(1), x(2)), inputs(must("z", tensor.Of[float32](3)),
			must("z", tensor.Of[float32](4)))
		merged, err := golden.Merge(first, second)
		Expect(err).NotTo(HaveOccurred())
		var all []string
		for set, err := range merged.All() {
			Expect(err).NotTo(HaveOccurred())
			Expect(set.Names()).To(Equal([]string{"x", "z"}))
			for _, t := range set.All() {
				all = append(all, t.Text(0))
			}
		}
		Expect(all).To(Equal([]string{"1", "3", "2", "4"}))
	})

	It("is never one of two values, and never half an iteration", func() {
		_, err := golden.Merge(inputs(x(1)), inputs(x(2)))
		Expect(err).To(MatchError(ContainSubstring(`hold different values of "x"`)))
		_, err = golden.Merge(inputs(x(1)), inputs(x(1)))
		Expect(err).NotTo(HaveOccurred(), "the same value twice is one")
		_, err = golden.Merge(inputs(x(1)), inputs(x(1), x(2)))
		Expect(err).To(MatchError(ContainSubstring("has 2 iterations, and")))
		_, err = golden.Merge(outputs("a", "b"))
		Expect(err).To(MatchError(ContainSubstring("choose a run by FILE#RUN")))
		_, err = golden.Merge()
		Expect(err).To(MatchError(ContainSubstring("name the files")))
	})

	It("joins runs by their names, and single runs whatever theirs", func() {
		joined, err := golden.Concat(outputs("a", "b"), outputs("b", "a"))
		Expect(err).NotTo(HaveOccurred())
		path := temporary("joined.json")
		Expect(joined.Save(path)).To(Succeed())
		runs, err := golden.ReadRuns(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(runs).To(HaveLen(2))
		Expect(runs[0].Run.Outputs()).To(HaveLen(2))
		y, _ := runs[0].Run.Outputs()[1].Get("y")
		Expect(y.Text(0)).To(Equal("1"), "the run a is the second of the second file")

		joined, err = golden.Concat(outputs("monday"), outputs("tuesday"))
		Expect(err).NotTo(HaveOccurred())
		Expect(joined.Iterations()).To(Equal(2))
		Expect(joined.Notes).To(BeEmpty())
	})

	It("says where tensors differ, and keeps inputs and outputs apart", func() {
		joined, err := golden.Concat(inputs(x(1)), inputs(must("z", tensor.Of[float32](3))))
		Expect(err).NotTo(HaveOccurred())
		Expect(joined.Notes).To(ConsistOf(ContainSubstring("holds z, and iterations before it hold x")))
		_, err = golden.Concat(inputs(x(1)), outputs("a"))
		Expect(err).To(MatchError(ContainSubstring("are not joined")))
		_, err = golden.Concat()
		Expect(err).To(MatchError(ContainSubstring("name the files")))
	})
})
