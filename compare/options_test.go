package compare_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// sets makes a set of names and tensors, in turn.
func sets(named ...any) *tensor.Set {
	var all []tensor.Entry
	for i := 0; i < len(named); i += 2 {
		all = append(all, tensor.Entry{Name: named[i].(string), Tensor: named[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	must(err)
	return s
}

func checks(all ...compare.Check) []compare.Check { return all }

var exact = compare.Within(0, 0, compare.Elementwise)

var _ = DescribeTable("misuse is an error that says what to do",
	func(o compare.Options, text string) {
		x := sets("x", tensor.Of[float32](1), "y", texts("a"))
		_, err := compare.Sets(x, x, o)
		Expect(err).To(MatchError(ContainSubstring(text)))
	},
	Entry("no check", compare.Options{}, "no check, so nothing could fail"),
	Entry("no check for an output", compare.Options{Checks: checks(exact),
		PerOutput: map[string][]compare.Check{"x": {}}}, `PerOutput["x"] has no check`),
	Entry("no check for the other output", compare.Options{
		PerOutput: map[string][]compare.Check{"x": {exact}}}, `no check for output "y"`),
	Entry("the zero check", compare.Options{Checks: checks(compare.Check{})},
		"a Check is the zero value"),
	Entry("a NaN tolerance, which Polygraphy lets everything pass",
		compare.Options{Checks: checks(compare.Within(nan, 0, compare.Max))}, "atol is NaN"),
	Entry("a negative tolerance", compare.Options{Checks: checks(compare.Within(0, -1, compare.Max))},
		"rtol is -1"),
	Entry("an unknown statistic", compare.Options{Checks: checks(compare.Within(0, 0, "mode"))},
		`unknown statistic "mode": want elementwise, max, mean, median or quantile(q)`),
	Entry("a quantile beyond 1", compare.Options{Checks: checks(compare.Within(0, 0,
		compare.Quantile(1.5)))}, "between 0 and 1"),
	Entry("a NaN limit", compare.Options{Checks: checks(compare.PSNR(nan))}, "the limit is NaN"),
	Entry("a negative l2", compare.Options{Checks: checks(compare.L2(-1))},
		"must be zero or positive"),
	Entry("top-0 agreement", compare.Options{Checks: checks(compare.TopKAgreement(0, 1))},
		"k must be at least 1"),
	Entry("agreement of more than all", compare.Options{Checks: checks(compare.TopKAgreement(1, 2))},
		"want a fraction above 0"),
	Entry("a mismatch fraction of a metric",
		compare.Options{Checks: checks(compare.L2(1).AllowMismatch(0.1))}, "needs an elementwise check"),
	Entry("all may mismatch", compare.Options{Checks: checks(exact.AllowMismatch(1))},
		"want a fraction of at least 0 and below 1"),
	Entry("a NaN fraction", compare.Options{Checks: checks(exact.AllowMismatch(nan))},
		"want a fraction of at least 0 and below 1"),
	Entry("an unknown output", compare.Options{Checks: checks(exact),
		PerOutput: map[string][]compare.Check{"z": {exact}}},
		`"z", which matches no output; the outputs are ["x" "y"]`),
	Entry("no output's name", compare.Options{Checks: checks(exact),
		PerOutput: map[string][]compare.Check{"": {exact}}},
		`"", which matches no output; the outputs are ["x" "y"]`),
	Entry("a mapping of unknown outputs", compare.Options{Checks: checks(exact),
		Names: map[string]string{"p": "q"}}, `maps "p" to "q", which neither side has`),
	Entry("two outputs mapped to one", compare.Options{Checks: checks(exact),
		Names: map[string]string{"x": "y", "y": "y"}}, `maps both "x" and "y" to "y"`),
	Entry("top-k of an unknown output", compare.Options{Checks: checks(exact),
		TopK: map[string]compare.TopK{"z": {K: 1, Axis: -1}}}, `Options.TopK names "z"`),
	Entry("top-k of strings", compare.Options{Checks: checks(exact),
		TopK: map[string]compare.TopK{"y": {K: 1, Axis: -1}}}, "strings"),
	Entry("top-k along no axis", compare.Options{Checks: checks(exact),
		TopK: map[string]compare.TopK{"x": {K: 1, Axis: 3}}}, "no such axis"),
	Entry("a metric of strings", compare.Options{Checks: checks(compare.L2(1))},
		"strings are not numbers"),
	Entry("averages of elements", compare.Options{Checks: checks(exact), Average: true},
		"no number to average"),
	Entry("averages and fail-fast", compare.Options{Checks: checks(compare.L2(1)), Average: true,
		FailFast: true}, "cannot be combined with FailFast"),
)

var _ = Describe("misuse with tensors", func() {
	It("is an error for nil tensors", func() {
		_, err := compare.Tensors(nil, tensor.Of[float32](1), compare.Options{Checks: checks(exact)})
		Expect(err).To(MatchError(ContainSubstring("no tensor")))
	})

	It("is an error to name outputs where there are no names", func() {
		_, err := compare.Tensors(tensor.Of(1.0), tensor.Of(1.0), compare.Options{
			PerOutput: map[string][]compare.Check{"x": {exact}}})
		Expect(err).To(MatchError(ContainSubstring("without names")))
	})

	It("is an error to ask for ulps across types", func() {
		_, err := compare.Tensors(tensor.Of(1.0), tensor.Of[float32](1), compare.Options{
			Checks: checks(compare.ULP(1)), AnyElementType: true})
		Expect(err).To(MatchError(ContainSubstring("needs the same element type on both sides")))
	})
})

var _ = DescribeTable("strict by default, with a switch back",
	func(actual, expected *tensor.Tensor, o compare.Options, strict, loose string) {
		o.Checks = append(o.Checks, exact)
		out, err := compare.Tensors(actual, expected, compare.Options{Checks: checks(exact)})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Reason).To(ContainSubstring(strict))
		out, err = compare.Tensors(actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Reason).To(Equal(loose))
	},
	Entry("element types", tensor.Of(1.0), tensor.Of[int8](1),
		compare.Options{AnyElementType: true}, "the element type is float64, expected int8", ""),
	Entry("but a string and a number", texts("1"), tensor.Of[int8](1),
		compare.Options{AnyElementType: true}, "the element type is string, expected int8",
		"the element type is string, expected int8: a string cannot equal a number"),
	Entry("shapes, reshaped", shaped(tensor.Shape{2, 1}, tensor.Of(1.0, 2)), tensor.Of(1.0, 2),
		compare.Options{AnyShape: true}, "the shape is [2,1], expected [2]", ""),
	Entry("shapes, transposed", shaped(tensor.Shape{2, 3}, tensor.Of(1.0, 2, 3, 4, 5, 6)),
		shaped(tensor.Shape{3, 2}, tensor.Of(1.0, 4, 2, 5, 3, 6)),
		compare.Options{AnyShape: true}, "the shape is [2,3], expected [3,2]", ""),
	Entry("4-bit elements, transposed", shaped(tensor.Shape{2, 1, 3}, packed(tensor.Int4, 0x21, 0x43,
		0x65)), shaped(tensor.Shape{3, 2, 1}, packed(tensor.Int4, 0x41, 0x52, 0x63)),
		compare.Options{AnyShape: true}, "the shape is", ""),
	Entry("strings, transposed", shaped(tensor.Shape{1, 2}, texts("a", "b")),
		shaped(tensor.Shape{2, 1}, texts("a", "b")), compare.Options{AnyShape: true}, "the shape is", ""),
	Entry("shapes, never broadcast", tensor.Of(1.0, 1), tensor.Of(1.0),
		compare.Options{AnyShape: true}, "the shape is",
		"the shape is [2], expected [1], and the numbers of elements differ"),
	Entry("shapes, not for lists of indices", tensor.Of(1.0, 1),
		shaped(tensor.Shape{2, 1}, tensor.Of(1.0, 1)), compare.Options{AnyShape: true,
			Checks: checks(compare.Indices(0))}, "the shape is",
		"the shape is [2], expected [2,1], and a comparison of indices needs equal shapes"),
	Entry("NaN", tensor.Of(nan), tensor.Of(nan), compare.Options{NaNEqual: true}, "1 of 1", ""),
	Entry("infinities", tensor.Of(inf), tensor.Of(inf), compare.Options{InfinitiesEqual: true},
		"1 of 1", ""),
	Entry("not unequal infinities", tensor.Of(inf), tensor.Of(-inf),
		compare.Options{InfinitiesEqual: true}, "1 of 1", "1 of 1 elements mismatch (100 %)"),
	Entry("float32 NaN and infinities", tensor.Of(float32(nan), float32(inf)),
		tensor.Of(float32(nan), float32(inf)), compare.Options{InfinitiesEqual: true, NaNEqual: true},
		"2 of 2", ""),
	Entry("equal, but not finite", tensor.Of(inf, 1), tensor.Of(inf, 1),
		compare.Options{InfinitiesEqual: true, Finite: true}, "1 of 2",
		"the actual side is not finite: 1 +Inf at [0]"),
)

var _ = Describe("sets and runs", func() {
	strict := compare.Options{Checks: checks(exact)}

	DescribeTable("never pass vacuously",
		func(actual, expected []*tensor.Set, reason string) {
			report, err := compare.Runs(actual, expected, strict)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail))
			Expect(report.Reason).To(ContainSubstring(reason))
		},
		Entry("another number of iterations", []*tensor.Set{sets("x", tensor.Of(1.0))},
			[]*tensor.Set{sets("x", tensor.Of(1.0)), sets("x", tensor.Of(1.0))},
			"the number of iterations is 1, expected 2"),
		Entry("a lost output", []*tensor.Set{sets("x", tensor.Of(1.0))},
			[]*tensor.Set{sets("x", tensor.Of(1.0), "y", tensor.Of(1.0))}, "1 of 2 outputs differ"),
		Entry("an extra output", []*tensor.Set{sets("x", tensor.Of(1.0), "y", tensor.Of(1.0))},
			[]*tensor.Set{sets("x", tensor.Of(1.0))}, "1 of 2 outputs differ"),
		Entry("a renamed output", []*tensor.Set{sets("x_1", tensor.Of(1.0))},
			[]*tensor.Set{sets("x", tensor.Of(1.0))}, "2 of 2 outputs differ"),
	)

	DescribeTable("are an error where there is nothing to compare",
		func(actual, expected []*tensor.Set, o compare.Options, says string) {
			o.Checks = checks(exact)
			_, err := compare.Runs(actual, expected, o)
			Expect(err).To(MatchError(ContainSubstring(says)))
		},
		Entry("no iterations", nil, nil, compare.Options{AllowEmpty: true},
			"number of iterations: actual 0, expected 0"),
		Entry("no iterations on one side", nil, []*tensor.Set{sets("x", tensor.Of(1.0))},
			compare.Options{}, "number of iterations: actual 0, expected 1"),
		Entry("nor on the other", []*tensor.Set{sets("x", tensor.Of(1.0))}, nil,
			compare.Options{}, "number of iterations: actual 1, expected 0"),
		Entry("no outputs", []*tensor.Set{nil}, []*tensor.Set{sets()}, compare.Options{AllowEmpty: true},
			"iteration 0 has no outputs on either side"),
		Entry("no outputs in one iteration of two", []*tensor.Set{sets("x", tensor.Of(1.0)), nil},
			[]*tensor.Set{sets("x", tensor.Of(1.0)), sets()}, compare.Options{},
			"iteration 1 has no outputs on either side"),
		Entry("empty outputs alone", []*tensor.Set{sets("x", tensor.Of[float32](), "s", texts())},
			[]*tensor.Set{sets("x", tensor.Of[float32](), "s", texts())}, compare.Options{},
			"every output is empty on both sides"),
	)

	It("compare renamed outputs where a mapping says so", func() {
		report, err := compare.Sets(sets("x_1", tensor.Of(1.0)), sets("x", tensor.Of(1.0)),
			compare.Options{Checks: checks(exact), Names: map[string]string{"x_1": "x"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Outputs[0].ExpectedName).To(Equal("x"))
	})

	It("note a mapping from a name that only the actual side lacks, which changes nothing", func() {
		report, err := compare.Sets(sets("y", tensor.Of(1.0)), sets("y", tensor.Of(1.0)),
			compare.Options{Checks: checks(exact), Names: map[string]string{"zz": "y"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Notes).To(HaveExactElements(
			`Options.Names maps "zz" to "y", but the actual side has only ["y"]`))
	})

	DescribeTable("note the options that make NaN and infinities equal",
		func(actual, expected float64, o compare.Options, noted bool) {
			o.Checks = checks(exact)
			report, err := compare.Sets(sets("y", tensor.Of(1, actual)),
				sets("y", tensor.Of(2, expected)), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Notes).To(HaveLen(map[bool]int{true: 1}[noted]))
			if noted {
				Expect(report.Notes[0]).To(HaveSuffix("set NaNEqual and InfinitiesEqual"))
			}
		},
		Entry("NaN", nan, nan, compare.Options{}, true),
		Entry("infinities", inf, inf, compare.Options{NaNEqual: true}, true),
		Entry("NaN that equal already", nan, nan, compare.Options{NaNEqual: true}, false),
		Entry("other infinities", inf, -inf, compare.Options{}, false),
		Entry("NaN on one side", nan, 1.0, compare.Options{}, false))

	It("compare outputs without a counterpart in their order under ByPosition", func() {
		actual := sets("dense_0", tensor.Of(1.0), "same", tensor.Of(3.0), "softmax_0", tensor.Of(2.0))
		expected := sets("same", tensor.Of(3.0), "a", tensor.Of(1.0), "b", tensor.Of(2.0))
		const remedy = "if only their names differ, pair the outputs"
		o := compare.Options{Checks: checks(exact)}
		report, err := compare.Sets(actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.Notes).To(HaveExactElements(HavePrefix(remedy)))

		o.ByPosition = true
		report, err = compare.Sets(actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Notes).To(BeEmpty())
		Expect(report.Outputs[2].ExpectedName).To(Equal("b"))

		o.Names = map[string]string{"softmax_0": "a"}
		report, err = compare.Sets(actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].ExpectedName).To(Equal("b"), "Names go first")
		Expect(report.Verdict).To(Equal(compare.Fail))

		fewer := sets("same", tensor.Of(3.0), "a", tensor.Of(1.0))
		report, err = compare.Sets(actual, fewer, compare.Options{Checks: checks(exact),
			ByPosition: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Reason).To(Equal("3 of 4 outputs differ"), "two and one cannot be paired")
	})

	It("hold an output to its own checks", func() {
		report, err := compare.Sets(sets("x", tensor.Of(1.0), "y", tensor.Of(1.0)),
			sets("x", tensor.Of(1.5), "y", tensor.Of(1.5)), compare.Options{Checks: checks(exact),
				PerOutput: map[string][]compare.Check{"y": {compare.Within(0.5, 0, compare.Max)}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].Verdict).To(Equal(compare.Fail))
		Expect(report.Outputs[1].Verdict).To(Equal(compare.Pass))
	})

	It("need all of several checks", func() {
		out, err := compare.Tensors(tensor.Of(1.0, 2), tensor.Of(1.0, 2.1), compare.Options{
			Checks: checks(compare.CosineSimilarity(0.99), exact)})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Verdict).To(Equal(compare.Fail))
		Expect(out.Results[0].Verdict).To(Equal(compare.Pass))
		Expect(out.Results[1].Verdict).To(Equal(compare.Fail))
	})

	It("stop at the first failure under FailFast", func() {
		a := sets("x", tensor.Of(1.0), "y", tensor.Of(1.0))
		b := sets("x", tensor.Of(2.0), "y", tensor.Of(2.0))
		report, err := compare.Runs([]*tensor.Set{a, a}, []*tensor.Set{b, b},
			compare.Options{Checks: checks(exact), FailFast: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs).To(HaveLen(1))
		Expect(report.Verdict).To(Equal(compare.Fail))
	})

	Describe("averaged over iterations", func() {
		runs := func(second *tensor.Tensor) (compare.Report, error) {
			return compare.Runs([]*tensor.Set{sets("x", tensor.Of(0.0)), sets("x", tensor.Of(3.0))},
				[]*tensor.Set{sets("x", tensor.Of(0.0)), sets("x", second)},
				compare.Options{Average: true, Checks: checks(compare.Within(1.5, 0, compare.Max))})
		}

		It("pass what single iterations fail", func() {
			report, err := runs(tensor.Of(0.0))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Pass), "%v", report)
			Expect(report.Outputs).To(HaveLen(1))
			Expect(report.Outputs[0].Iteration).To(Equal(compare.Averaged))
			Expect(report.Outputs[0].Results[0].Abs).To(Equal(1.5))
		})

		It("fail above the limit", func() {
			report, err := runs(tensor.Of(-0.1))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Outputs[0].Reason).To(ContainSubstring("averaged over 2 iterations"))
		})

		It("keep a NaN", func() {
			report, err := runs(tensor.Of(nan))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail))
		})

		It("do not leave out an iteration of another shape", func() {
			report, err := runs(shaped(tensor.Shape{1, 1}, tensor.Of(3.0)))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Outputs[0].Reason).To(Equal("iteration 1: the shape is [1], expected [1,1]"))
		})
	})
})
