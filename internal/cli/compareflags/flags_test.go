package compareflags_test

import (
	"context"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
)

// given sets the flags of a command line.
func given(line string) (*compareflags.Flags, error) {
	var f compareflags.Flags
	err := flagtest.Set(append(f.List(), f.NoiseFlags(true)...), line)
	return &f, err
}

// checks is a list of them.
func checks(list ...compare.Check) []compare.Check { return list }

var _ = Describe("flags of a comparison", func() {
	DescribeTable("become checks", func(line string, want []compare.Check) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		options, err := f.Options(context.Background())
		Expect(err).NotTo(HaveOccurred())
		Expect(options.Checks).To(Equal(want))
	},
		Entry("none: Polygraphy's rule and tolerances", "",
			checks(compare.Within(1e-5, 1e-5, compare.Elementwise))),
		Entry("tolerances", "--atol 1e-3 --rtol 0", checks(compare.Within(1e-3, 0, compare.Elementwise))),
		Entry("several statistics, of which all must hold", "--check-error-stat max mean",
			checks(compare.Within(1e-5, 1e-5, compare.Max), compare.Within(1e-5, 1e-5, compare.Mean))),
		Entry("a quantile", "--check-error-stat quantile --error-quantile 0.9",
			checks(compare.Within(1e-5, 1e-5, compare.Quantile(0.9)))),
		Entry("a quantile with Polygraphy's default", "--check-error-stat quantile",
			checks(compare.Within(1e-5, 1e-5, compare.Quantile(0.99)))),
		Entry("a function, each once", "--compare l2 l2 --l2-threshold 3", checks(compare.L2(3))),
		Entry("a group of functions", "--compare distance_metrics",
			checks(compare.L2(1e-5), compare.CosineSimilarity(0.997))),
		Entry("a count", "--compare ulp --ulp-threshold 4", checks(compare.ULP(4))),
		Entry("a tolerated fraction", "--allow-mismatch 0.1",
			checks(compare.Within(1e-5, 1e-5, compare.Elementwise).AllowMismatch(0.1))),
	)

	It("hold outputs that are named to their own numbers", func() {
		f, err := given("--atol 1e-3 logits:1 --check-error-stat aux:max --postprocess logits:top-5")
		Expect(err).NotTo(HaveOccurred())
		options, err := f.Options(context.Background())
		Expect(err).NotTo(HaveOccurred())
		Expect(options.PerOutput).To(Equal(map[string][]compare.Check{
			"logits": checks(compare.Within(1, 1e-5, compare.Elementwise)),
			"aux":    checks(compare.Within(1e-3, 1e-5, compare.Max)),
		}))
		Expect(options.TopK).To(Equal(map[string]compare.TopK{"logits": {K: 5, Axis: -1}}))
	})

	It("turn switches on and pair names", func() {
		f, err := given("--validate --fail-fast --no-shape-check --output-names a:b by-position")
		Expect(err).NotTo(HaveOccurred())
		options, err := f.Options(context.Background())
		Expect(err).NotTo(HaveOccurred())
		Expect(options.Finite).To(BeTrue())
		Expect(options.FailFast).To(BeTrue())
		Expect(options.AnyShape).To(BeTrue())
		Expect(options.NaNEqual).To(BeFalse())
		Expect(options.Names).To(Equal(map[string]string{"a": "b"}))
		Expect(options.ByPosition).To(BeTrue())
		Expect(f.Finite()).To(BeTrue())
	})

	DescribeTable("know whether a comparison was asked for", func(line string, asked bool) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Asked()).To(Equal(asked))
	},
		Entry("no flag", "", false), Entry("a switch alone", "--nans-compare-equal", false),
		Entry("in so many words", "--compare-outputs", true), Entry("a tolerance", "--atol 1", true),
		Entry("a function", "--compare l2", true), Entry("a statistic", "--check-error-stat max", true),
		Entry("the greatest values", "--postprocess top-1", true),
	)

	DescribeTable("say what to write", func(line, says string) {
		f, err := given(line)
		if err == nil {
			_, err = f.Options(context.Background())
		}
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("an unknown flag", "--frobnicate", "unknown flag --frobnicate"),
		Entry("a function", "--compare nothing", `unknown value "nothing": want simple, indices`),
		Entry("a statistic", "--check-error-stat mode", `"mode" is not a statistic; write elemwise`),
		Entry("a tolerance that no function reads", "--compare l2 --atol 1",
			"--atol needs --compare simple: add that, or remove --atol"),
		Entry("a quantile that no statistic reads", "--error-quantile 0.5",
			"--error-quantile has no effect without --check-error-stat quantile"),
		Entry("a statistic that no function reads", "--compare l2 --check-error-stat max",
			"--check-error-stat needs --compare simple"),
		Entry("two tolerances for all outputs", "--atol 1 2",
			"--atol has several values for every output: [1 2]"),
		Entry("two tolerances for one output", "--atol a:1 a:2",
			"--atol has several values for the output a: [1 2]"),
		Entry("half of a step", "--compare ulp --ulp-threshold 0.5",
			"--ulp-threshold must be a whole number, got 0.5"),
		Entry("half of an index", "--compare indices --index-tolerance 0.5",
			"--index-tolerance must be a whole number, got 0.5"),
		Entry("one name of two", "--output-names a", "does not name two outputs"),
		Entry("a post-processing", "--postprocess bottom-5", "write top-5, or logits:top-5,axis=1"),
	)

	It("hold all outputs to one rule where a command asks for that", func() {
		f, err := given("--atol 1e-3 --check-error-stat max")
		Expect(err).NotTo(HaveOccurred())
		Expect(f.One(context.Background(), "search")).To(
			Equal(checks(compare.Within(1e-3, 1e-5, compare.Max))))
		for line, says := range map[string]string{
			"--atol 1e-3 logits:1": "search applies one rule to all outputs",
			"--noise --atol 1":     "--noise replaces tolerances",
		} {
			f, err := given(line)
			Expect(err).NotTo(HaveOccurred())
			_, err = f.One(context.Background(), "search")
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})

	It("list every function", func() {
		Expect(compareflags.Functions()).To(ContainElements("simple", "quality_metrics"))
	})
})

var _ = Describe("flags for patterns of outputs", func() {
	It("apply to every output that they match, independent of other flags", func() {
		f, err := given("--atol present.*:1e-3 --rtol present.0.key:1e-2 --only present.* --except *.x")
		Expect(err).NotTo(HaveOccurred())
		o, err := f.Options(context.Background())
		Expect(err).NotTo(HaveOccurred())
		Expect(o.PerOutput).To(Equal(map[string][]compare.Check{
			"present.*":     checks(compare.Within(1e-3, 1e-5, compare.Elementwise)),
			"present.0.key": checks(compare.Within(1e-3, 1e-2, compare.Elementwise)),
		}))
		Expect(o.Only).To(Equal([]string{"present.*"}))
		Expect(o.Except).To(Equal([]string{"*.x"}))
		Expect(f.Asked()).To(BeTrue())
	})

	It("must not give one output two numbers", func() {
		f, err := given("--atol a*:1 *b:2 --rtol ab:3")
		Expect(err).NotTo(HaveOccurred())
		_, err = f.Options(context.Background())
		Expect(err).To(MatchError("--atol has several values for the output ab: [2 1]"))
	})
})
