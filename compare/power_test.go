package compare_test

import (
	"errors"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// grid is rows of equal length.
func grid(columns int, values ...float64) *tensor.Tensor {
	return shaped(tensor.Shape{len(values) / columns, columns}, tensor.Of(values...))
}

var _ = DescribeTable("what used to pass and prove nothing is an error that says why",
	func(actual, expected *tensor.Tensor, o compare.Options, why string) {
		_, err := compare.Tensors(actual, expected, o)
		Expect(err).To(MatchError(ContainSubstring(why)))
	},
	Entry("indices with a tolerance as long as the list", tensor.Of[int64](1, 2, 3),
		tensor.Of[int64](7, 8, 9), compare.Options{Checks: checks(compare.Indices(3))},
		"proves nothing about the output: with a tolerance of 3, no entry of a list of "+
			"length 3 is compared; set a tolerance below 3"),
	Entry("indices with a huge tolerance", tensor.Of[int64](1), tensor.Of[int64](7),
		compare.Options{Checks: checks(compare.Indices(math.MaxInt))}, "a list of length 1"),
	Entry("as many of the top as there are classes", grid(3, 1, 2, 3), grid(3, 9, 8, 7),
		compare.Options{Checks: checks(compare.TopKAgreement(3, 1))},
		"a row has 3 classes, so the top 3 are all of them; set k below 3"),
	Entry("one class", grid(1, 1, 2, 3), grid(1, 9, 8, 7),
		compare.Options{Checks: checks(compare.TopKAgreement(1, 1))},
		"proves nothing about the output: each row has only one score, which is always the highest; "+
			"check "+
			"this output with another rule"),
	Entry("agreement of nothing but ties", grid(2, 1, 1, 2, 2), grid(2, 5, 5, 0, 0),
		compare.Options{Checks: checks(compare.TopKAgreement(1, 1))}, "every row is constant"),
	Entry("agreement with NaN alone", grid(2, 1, 2), grid(2, nan, nan),
		compare.Options{Checks: checks(compare.TopKAgreement(1, 1))}, "all NaN"),
	Entry("a share of no agreement", grid(2, 1, 2), grid(2, 2, 1),
		compare.Options{Checks: checks(compare.TopKAgreement(1, 0))}, "want a fraction above 0"),
	Entry("top-1 of NaN", tensor.Of(nan, nan, nan), tensor.Of(3.0, 2, 1),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}},
		"top-1 along axis -1 proves nothing about the output: row 0 of the actual side is all NaN"),
	Entry("top-3 of NaN", tensor.Of(nan, nan, nan), tensor.Of(3.0, 2, 1),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 3, Axis: -1}}},
		"row 0 of the actual side is all NaN"),
	Entry("top-1 against NaN in one row of two", grid(2, 1, 2, 3, 4), grid(2, 1, 2, nan, nan),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}},
		"row 1 of the expected side is all NaN"),
	Entry("top-k along an axis of one", grid(1, 1, 2, 3), grid(1, 9, 8, 7),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}},
		"the axis has length 1, so the top index is always 0"),
	Entry("top-k of ties alone", grid(3, 0, 0, 0), grid(3, 5, 5, 5),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}},
		"every row is constant"),
	Entry("psnr next to an infinity", tensor.Of(inf, 2), tensor.Of(inf, 5e20),
		compare.Options{Checks: checks(compare.PSNR(30)), InfinitiesEqual: true}, "contains an "+
			"infinity"),
	Entry("psnr next to an infinity, even if all is equal", tensor.Of(inf, 2), tensor.Of(inf, 2),
		compare.Options{Checks: checks(compare.PSNR(30)), InfinitiesEqual: true}, "contains an "+
			"infinity"),
	Entry("snr next to an infinity", tensor.Of(-inf, 2), tensor.Of(-inf, 5e20),
		compare.Options{Checks: checks(compare.SNR(30)), InfinitiesEqual: true}, "contains an "+
			"infinity"),
	Entry("norm-wise errors next to an infinity", tensor.Of(inf, 2), tensor.Of(inf, 5e20),
		compare.Options{Checks: checks(compare.NormRelative(0)), InfinitiesEqual: true},
		"contains an infinity"),
	Entry("snr without a signal", tensor.Of(0.0, 0), tensor.Of(0.0, 0),
		compare.Options{Checks: checks(compare.SNR(20))}, "there is no signal"),
	Entry("norm-wise errors without a signal", tensor.Of(0.0, 0), tensor.Of(0.0, 0),
		compare.Options{Checks: checks(compare.NormRelative(0))}, "there is no signal"),
	Entry("the direction of one element", tensor.Of(1e9), tensor.Of(1.0),
		compare.Options{Checks: checks(compare.CosineSimilarity(0.999))}, "the cosine of "+
			"single elements depends only on their signs"),
	Entry("the direction of zeros", tensor.Of(0.0, 0), tensor.Of(0.0, 0),
		compare.Options{Checks: checks(compare.CosineSimilarity(1))}, "the expected side is all zeros"),
	Entry("the direction of actual zeros", tensor.Of(0.0, 0), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.CosineSimilarity(0))}, "the actual side is all zeros"),
	Entry("kl of logits", tensor.Of(-1.0, 2), tensor.Of(-1.5, 2),
		compare.Options{Checks: checks(compare.KL(1e300))},
		"the expected side is not a distribution: row 0 contains -1.5; KL compares probabilities, so "+
			"apply softmax to logits first"),
	Entry("kl of zeros", tensor.Of(0.5, 0.5), tensor.Of(0.0, 0),
		compare.Options{Checks: checks(compare.KL(1))}, "row 0 is all zeros"),
	Entry("kl of one probability", grid(1, 0.2, 0.9), grid(1, 0.7, 0.1),
		compare.Options{Checks: checks(compare.KL(0))}, "one probability, which is always 1"),
	Entry("a tolerance that no two bools exceed", tensor.Of(true), tensor.Of(false),
		compare.Options{Checks: checks(compare.Within(1, 0, compare.Max))},
		"no two values of bool are more than 1 apart"),
	Entry("nor two int8", tensor.Of[int8](-128), tensor.Of[int8](127),
		compare.Options{Checks: checks(compare.WithinSum(255, 0))}, "more than 255 apart"),
	Entry("nor an int8 and an uint8", tensor.Of[int8](-128), tensor.Of[uint8](255),
		compare.Options{Checks: checks(compare.Within(383, 0, compare.Mean)), AnyElementType: true},
		"no two values of int8 and uint8 are more than 383 apart"),
	Entry("steps that no two float16 are apart", halves(1), halves(-1),
		compare.Options{Checks: checks(compare.ULP(1 << 16))}, "no two values of float16"),
	Entry("an infinite atol", tensor.Of(1.0), tensor.Of(9.0),
		compare.Options{Checks: checks(compare.Within(inf, 0, compare.Elementwise))},
		"every number is within an infinite tolerance"),
	Entry("an infinite rtol", tensor.Of(1.0), tensor.Of(9.0),
		compare.Options{Checks: checks(compare.WithinSum(0, inf))}, "within an infinite tolerance"),
	Entry("an infinite l2", tensor.Of(1.0), tensor.Of(9.0),
		compare.Options{Checks: checks(compare.L2(inf))}, "nothing could fail"),
	Entry("a psnr of -Inf", tensor.Of(1.0), tensor.Of(9.0),
		compare.Options{Checks: checks(compare.PSNR(-inf))}, "nothing could fail"),
	Entry("a similarity of -1", tensor.Of(1.0), tensor.Of(-9.0),
		compare.Options{Checks: checks(compare.CosineSimilarity(-1))}, "nothing could fail"),
	Entry("a similarity of more than 1", tensor.Of(1.0, 2), tensor.Of(1.0, 2),
		compare.Options{Checks: checks(compare.CosineSimilarity(1.5))}, "cosine_similarity: the limit "+
			"is 1.5, which nothing can meet: the largest possible value is 1"),
	Entry("nothing at all", tensor.Of[float32](), tensor.Of[float32](),
		compare.Options{Checks: checks(exact)}, "both tensors are empty"),
)

var _ = DescribeTable("what used to pass fails",
	func(actual, expected *tensor.Tensor, o compare.Options) {
		out, err := compare.Tensors(actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Verdict).To(Equal(compare.Fail), "%v", out)
	},
	Entry("l2 of an error whose square underflows", tensor.Of(1, 1e-170), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.L2(0))}),
	Entry("l2, to the number", tensor.Of(1, 1e-170), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.L2(0.99e-170))}),
	Entry("l2 of the least float64", tensor.Of(1, 5e-324), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.L2(0))}),
	Entry("norm-wise", tensor.Of(1, 1e-170), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.NormRelative(0))}),
	Entry("norm-wise, where the quotient underflows", tensor.Of(1e300, 5e-324), tensor.Of(1e300, 0),
		compare.Options{Checks: checks(compare.NormRelative(0))}),
	Entry("psnr", tensor.Of(1, 1e-170), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.PSNR(1e9))}),
	Entry("snr", tensor.Of(1, 1e-170), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.SNR(1e9))}),
	Entry("snr, where the quotient overflows", tensor.Of(1e150, 1e-130), tensor.Of(1e150, 0),
		compare.Options{Checks: checks(compare.SNR(1e9))}),
	Entry("the mean of one least error in two", tensor.Of(1, 5e-324), tensor.Of(1.0, 0),
		compare.Options{Checks: checks(compare.Within(0, 0, compare.Mean))}),
	Entry("int64 against the next float64", tensor.Of[int64](1<<53+1), tensor.Of(0x1p53),
		compare.Options{Checks: checks(exact), AnyElementType: true}),
	Entry("the same, with equal infinities", tensor.Of[int64](1<<53+1), tensor.Of(0x1p53),
		compare.Options{Checks: checks(exact), AnyElementType: true, InfinitiesEqual: true}),
	Entry("int64 against float32", tensor.Of[int64](1<<53+1), tensor.Of[float32](0x1p53),
		compare.Options{Checks: checks(compare.Within(0, 0, compare.Max)), AnyElementType: true}),
	Entry("uint64 against int64", tensor.Of[uint64](1<<53+1), tensor.Of[int64](1<<53),
		compare.Options{Checks: checks(compare.L2(0)), AnyElementType: true}),
	Entry("by the sum", tensor.Of[int64](1<<53+1), tensor.Of(0x1p53),
		compare.Options{Checks: checks(compare.WithinSum(0, 0)), AnyElementType: true}),
	Entry("as indices", tensor.Of[int64](1<<53+1), tensor.Of(0x1p53),
		compare.Options{Checks: checks(compare.Indices(0)), AnyElementType: true}),
	Entry("the greatest uint64 against 2⁶⁴", tensor.Of[uint64](math.MaxUint64), tensor.Of(0x1p64),
		compare.Options{Checks: checks(exact), AnyElementType: true}),
	Entry("the least int64 against uint64", tensor.Of[int64](math.MinInt64),
		tensor.Of[uint64](1<<63), compare.Options{Checks: checks(exact), AnyElementType: true}),
	Entry("kl of an actual side with NaN", tensor.Of(nan, 1), tensor.Of(0.5, 0.5),
		compare.Options{Checks: checks(compare.KL(1e300))}),
	Entry("a row without an order against one that has an order", grid(3, 9, 1, 2, 0, 0, 0),
		grid(3, 9, 1, 2, 3, 2, 1), compare.Options{Checks: checks(compare.TopKAgreement(1, 1))}),
	Entry("the same after top-1", grid(3, 9, 1, 2, 0, 0, 0), grid(3, 9, 1, 2, 3, 2, 1),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 1, Axis: -1}}}),
	Entry("NaN among the top 3", tensor.Of(5, nan, nan), tensor.Of(5.0, 4, 3),
		compare.Options{Checks: checks(exact), TopK: map[string]compare.TopK{"": {K: 3, Axis: -1}}}),
)

var _ = Describe("integers of 64 bits against floats", func() {
	DescribeTable("are as far apart as they are",
		func(actual, expected *tensor.Tensor, apart float64) {
			for atol, verdict := range map[float64]compare.Verdict{
				apart: compare.Pass, math.Nextafter(apart, 0): compare.Fail} {
				out, err := compare.Tensors(actual, expected, compare.Options{AnyElementType: true,
					Checks: checks(compare.Within(atol, 0, compare.Max))})
				Expect(err).NotTo(HaveOccurred())
				Expect(out.Verdict).To(Equal(verdict), "atol %v: %v", atol, out)
			}
		},
		Entry("2⁵³+1 and 2⁵³", tensor.Of[int64](1<<53+1), tensor.Of(0x1p53), 1.0),
		Entry("their negatives", tensor.Of[int64](-1<<53-1), tensor.Of(-0x1p53), 1.0),
		Entry("2⁶⁴−1 and 2⁶⁴", tensor.Of[uint64](math.MaxUint64), tensor.Of(0x1p64), 1.0),
		Entry("2⁶⁴ and 2⁶⁴−3", tensor.Of(0x1p64), tensor.Of[uint64](math.MaxUint64-2), 3.0),
		Entry("2⁶³ and 2⁶³+1, of int64 and uint64", tensor.Of[int64](math.MinInt64),
			tensor.Of[uint64](1<<63+2048), 0x1p64+2048),
		Entry("a half and an integer", tensor.Of(0.5), tensor.Of[int64](3), 2.5),
	)
})

var _ = Describe("power", func() {
	It("names the output, for whoever looks at the error", func() {
		_, err := compare.Sets(sets("a", tensor.Of(1.0), "mask", tensor.Of(true)),
			sets("a", tensor.Of(1.0), "mask", tensor.Of(false)),
			compare.Options{Checks: checks(compare.Within(1, 0, compare.Elementwise))})
		var powerless *compare.Powerless
		Expect(errors.As(err, &powerless)).To(BeTrue())
		Expect(powerless.Output).To(Equal("mask"))
		Expect(err).To(MatchError(`compare: elementwise: abs ≤ 1 or rel ≤ 0 proves nothing about ` +
			`output "mask": no two values of bool are more than 1 apart; set a smaller tolerance ` +
			"for this output"))
	})

	It("is not asked of a check that fails: it has noticed something", func() {
		out := one(tensor.Of(nan), tensor.Of(1.0), compare.Within(inf, 0, compare.Elementwise))
		Expect(out.Verdict).To(Equal(compare.Fail))
		Expect(one(tensor.Of(1.0), tensor.Of(0.0), compare.SNR(-1e9)).Verdict).To(Equal(compare.Fail))
	})

	DescribeTable("averages never hide an iteration behind an infinity",
		func(check compare.Check) {
			equal, apart := sets("x", tensor.Of(1.0, 2)), sets("x", tensor.Of(1000.0, -5))
			report, err := compare.Runs([]*tensor.Set{equal, apart}, []*tensor.Set{equal, equal},
				compare.Options{Average: true, Checks: checks(check)})
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail), "%v", report)
		},
		Entry("psnr", compare.PSNR(30)), Entry("snr", compare.SNR(30)),
		Entry("l2", compare.L2(1)), Entry("cosine", compare.CosineSimilarity(0.999)),
		Entry("norm", compare.NormRelative(1)), Entry("max", compare.Within(1, 1, compare.Max)),
	)

	It("averages noise, not decibels", func() {
		expected := sets("x", tensor.Of(100.0, 0))
		report, err := compare.Runs([]*tensor.Set{sets("x", tensor.Of(101.0, 0)), // 40 dB
			sets("x", tensor.Of(110.0, 0))}, []*tensor.Set{expected, expected}, // 20 dB
			compare.Options{Average: true, Checks: checks(compare.SNR(20))})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].Results[0].Value).To(
			BeNumerically("~", -10*math.Log10((1e-4+1e-2)/2), 1e-9))
		equal, err := compare.Runs([]*tensor.Set{expected}, []*tensor.Set{expected},
			compare.Options{Average: true, Checks: checks(compare.SNR(20))})
		Expect(err).NotTo(HaveOccurred())
		Expect(equal.Outputs[0].Results[0].Value).To(Equal(inf))
	})

	Describe("of empty outputs", func() {
		none, some := sets("boxes", tensor.Of[float32]()), sets("boxes", tensor.Of[float32](1))
		every := func() []compare.Check {
			return append(everyCheck(0.5)[:13], compare.Indices(0), compare.TopKAgreement(1, 0.5),
				compare.Defaults(), says(compare.Judgement{Verdict: compare.Fail}, nil))
		}

		It("is none, so they are equal under every rule if that is allowed", func() {
			for _, check := range every() {
				for _, average := range []bool{false, true} {
					o := compare.Options{Checks: checks(check), Average: average, AllowEmpty: true}
					report, err := compare.Sets(none, none, o)
					if average && err != nil {
						Expect(err).To(MatchError(ContainSubstring("no number to average")))
						continue
					}
					Expect(err).NotTo(HaveOccurred(), "%v", check)
					Expect(report.Verdict).To(Equal(compare.Pass), "%v", check)
					Expect(report.Text()).To(Or(ContainSubstring("no elements"), ContainSubstring("averaged")))
					o.AllowEmpty = false
					_, err = compare.Sets(none, none, o)
					Expect(err).To(MatchError(ContainSubstring("nothing was compared")), "%v", check)
				}
			}
		})

		It("is judged over the whole run: a detector may find nothing in one image", func() {
			for _, average := range []bool{false, true} {
				o := compare.Options{Checks: checks(compare.Within(0, 0, compare.Mean)), Average: average}
				report, err := compare.Runs([]*tensor.Set{some, none}, []*tensor.Set{some, none}, o)
				Expect(err).NotTo(HaveOccurred())
				Expect(report.Verdict).To(Equal(compare.Pass), "%v", report)
			}
		})

		It("does not excuse a difference next to them", func() {
			report, err := compare.Runs([]*tensor.Set{none, none}, []*tensor.Set{some, none},
				compare.Options{Checks: checks(exact)})
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail))
		})
	})
})
