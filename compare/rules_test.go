package compare_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/x448/float16"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// one holds a pair to one check.
func one(actual, expected *tensor.Tensor, check compare.Check) compare.Output {
	GinkgoHelper()
	out, err := compare.Tensors(actual, expected, compare.Options{Checks: []compare.Check{check}})
	Expect(err).NotTo(HaveOccurred())
	return out
}

func halves(values ...float32) *tensor.Tensor {
	all := make([]float16.Float16, len(values))
	for i, v := range values {
		all[i] = float16.Fromfloat32(v)
	}
	return tensor.Of(all...)
}

func shaped(shape tensor.Shape, t *tensor.Tensor) *tensor.Tensor {
	reshaped, err := t.Reshape(shape)
	must(err)
	return reshaped
}

func texts(values ...string) *tensor.Tensor {
	t, err := tensor.FromStrings(tensor.Shape{len(values)}, values)
	must(err)
	return t
}

var _ = DescribeTable("each rule",
	func(actual, expected *tensor.Tensor, check compare.Check, verdict compare.Verdict) {
		Expect(one(actual, expected, check).Verdict).To(Equal(verdict))
	},
	Entry("sum: both tolerances add up", tensor.Of(10.2), tensor.Of(10.0),
		compare.WithinSum(0.1, 0.0101), compare.Pass),
	Entry("sum: where the or rule fails too, it fails", tensor.Of(10.3), tensor.Of(10.0),
		compare.WithinSum(0.1, 0.0101), compare.Fail),
	Entry("the or rule does not add them up", tensor.Of(10.2), tensor.Of(10.0),
		compare.Within(0.1, 0.0101, compare.Elementwise), compare.Fail),
	Entry("sum: equal infinities are equal", tensor.Of(inf), tensor.Of(inf),
		compare.WithinSum(0, 0), compare.Pass),
	Entry("sum: an infinite reference allows nothing else", tensor.Of(1.0), tensor.Of(inf),
		compare.WithinSum(1, 1), compare.Fail),
	Entry("sum: NaN differs", tensor.Of(nan), tensor.Of(nan), compare.WithinSum(1, 1), compare.Fail),
	Entry("sum: integers exactly", tensor.Of[int64](math.MaxInt64), tensor.Of[int64](math.MinInt64),
		compare.WithinSum(1, 0.1), compare.Fail),

	Entry("ulp: the next float32 is one away", tensor.Of(math.Nextafter32(1, 2)),
		tensor.Of[float32](1), compare.ULP(1), compare.Pass),
	Entry("ulp: two away", tensor.Of(math.Nextafter32(math.Nextafter32(1, 2), 2)),
		tensor.Of[float32](1), compare.ULP(1), compare.Fail),
	Entry("ulp: both zeros are one value", tensor.Of(math.Copysign(0, -1)), tensor.Of(0.0),
		compare.ULP(0), compare.Pass),
	Entry("ulp: across zero it counts both sides", tensor.Of(-math.SmallestNonzeroFloat64),
		tensor.Of(math.SmallestNonzeroFloat64), compare.ULP(1), compare.Fail),
	Entry("ulp: across zero is two", tensor.Of(-math.SmallestNonzeroFloat64),
		tensor.Of(math.SmallestNonzeroFloat64), compare.ULP(2), compare.Pass),
	Entry("ulp: infinity follows the greatest number", halves(65504), halves(float32(inf)),
		compare.ULP(1), compare.Pass),
	Entry("ulp: NaN has no distance", tensor.Of(nan), tensor.Of(nan), compare.ULP(1000), compare.Fail),
	Entry("ulp: integers by their difference", tensor.Of[int8](-128), tensor.Of[int8](127),
		compare.ULP(254), compare.Fail),

	Entry("mismatch fraction: one of four is a quarter", tensor.Of[int8](1, 2, 3, 9),
		tensor.Of[int8](1, 2, 3, 4), compare.Within(0, 0, compare.Elementwise).AllowMismatch(0.25),
		compare.Pass),
	Entry("mismatch fraction: two of four are more", tensor.Of[int8](1, 2, 9, 9),
		tensor.Of[int8](1, 2, 3, 4), compare.Within(0, 0, compare.Elementwise).AllowMismatch(0.25),
		compare.Fail),

	Entry("l2: at the limit", tensor.Of(3.0, 4), tensor.Of(0.0, 0), compare.L2(5), compare.Pass),
	Entry("l2: above it", tensor.Of(3.0, 4), tensor.Of(0.0, 0), compare.L2(4.9), compare.Fail),
	Entry("l2: int64 squares do not wrap", tensor.Of[int64](1<<33), tensor.Of[int64](0),
		compare.L2(1), compare.Fail),
	Entry("l2: float64 squares do not overflow", tensor.Of(3e300, 4e300), tensor.Of(0.0, 0),
		compare.L2(5.0000001e300), compare.Pass),
	Entry("l2: nor vanish", tensor.Of(3e-300, 4e-300), tensor.Of(0.0, 0), compare.L2(4e-300),
		compare.Fail),

	Entry("cosine: float32 products do not overflow into a false pass",
		tensor.Of[float32](1e30, -1e30), tensor.Of[float32](1e30, 1e30),
		compare.CosineSimilarity(0.5), compare.Fail),
	Entry("cosine: nor do float64's", tensor.Of(1e300, 1e300), tensor.Of(1e300, 1e300),
		compare.CosineSimilarity(0.999), compare.Pass),
	Entry("cosine: one is not", tensor.Of(0.0, 0), tensor.Of(1.0, 0), compare.CosineSimilarity(0.1),
		compare.Fail),
	Entry("cosine: bools are 0 and 1", tensor.Of(true, false), tensor.Of(true, false),
		compare.CosineSimilarity(1), compare.Pass),

	Entry("psnr: the peak is the expected side's", tensor.Of(1.0, 1), tensor.Of(100.0, 100),
		compare.PSNR(0.08), compare.Pass),
	Entry("psnr: not the actual side's", tensor.Of(100.0, 100), tensor.Of(1.0, 1),
		compare.PSNR(0), compare.Fail),
	Entry("psnr: equal tensors", tensor.Of(1.0), tensor.Of(1.0), compare.PSNR(inf), compare.Pass),
	Entry("psnr: bools get a verdict", tensor.Of(true), tensor.Of(true), compare.PSNR(30),
		compare.Pass),

	Entry("snr: the signal is the expected side", tensor.Of(0.0, 0), tensor.Of(10.0, 10),
		compare.SNR(0), compare.Pass),
	Entry("snr: no signal", tensor.Of(10.0, 10), tensor.Of(0.0, 0), compare.SNR(-1e9), compare.Fail),

	Entry("norm: within", tensor.Of(1.01, 0), tensor.Of(1.0, 0), compare.NormRelative(0.011),
		compare.Pass),
	Entry("norm: beyond", tensor.Of(1.02, 0), tensor.Of(1.0, 0), compare.NormRelative(0.011),
		compare.Fail),
	Entry("norm: something against nothing", tensor.Of(1e-300), tensor.Of(0.0),
		compare.NormRelative(1e300), compare.Fail),

	Entry("kl: equal up to scale", tensor.Of(1.0, 3), tensor.Of(0.25, 0.75), compare.KL(1e-12),
		compare.Pass),
	Entry("kl: a lost outcome is infinitely far", tensor.Of(1.0, 0), tensor.Of(0.5, 0.5),
		compare.KL(1e300), compare.Fail),
	Entry("kl: negative values are not a distribution", tensor.Of(-1.0, 2), tensor.Of(0.5, 0.5),
		compare.KL(1e300), compare.Fail),
	Entry("kl: one bad row of two", shaped(tensor.Shape{2, 2}, tensor.Of(0.5, 0.5, 0.9, 0.1)),
		shaped(tensor.Shape{2, 2}, tensor.Of(0.5, 0.5, 0.1, 0.9)), compare.KL(0.1), compare.Fail),

	Entry("top-k: the same two, in another order", tensor.Of(1.0, 5, 4), tensor.Of(1.0, 4, 5),
		compare.TopKAgreement(2, 1), compare.Pass),
	Entry("top-k: not the same first", tensor.Of(1.0, 5, 4), tensor.Of(1.0, 4, 5),
		compare.TopKAgreement(1, 1), compare.Fail),
	Entry("top-k: half the rows are enough", shaped(tensor.Shape{2, 2}, tensor.Of(1.0, 2, 3, 4)),
		shaped(tensor.Shape{2, 2}, tensor.Of(1.0, 2, 4, 3)), compare.TopKAgreement(1, 0.5),
		compare.Pass),
	Entry("top-k: a row with NaN agrees with none", tensor.Of(1.0, nan), tensor.Of(1.0, nan),
		compare.TopKAgreement(1, 1), compare.Fail),

	Entry("strings: equal", texts("a", "b"), texts("a", "b"),
		compare.Within(0, 0, compare.Max), compare.Pass),
	Entry("strings: no tolerance helps", texts("a", "b"), texts("a", "c"),
		compare.Within(1e300, 1e300, compare.Mean), compare.Fail),
	Entry("strings: unless some may mismatch", texts("a", "b"), texts("a", "c"),
		compare.Within(0, 0, compare.Elementwise).AllowMismatch(0.5), compare.Pass),
	Entry("indices: strings too", texts("a", "b", "c"), texts("b", "a", "c"),
		compare.Indices(1), compare.Pass),
	Entry("int4", packed(tensor.Int4, 0x87), packed(tensor.Int4, 0x97),
		compare.Within(1, 0, compare.Elementwise), compare.Pass),
	Entry("uint4", packed(tensor.Uint4, 0x0f), packed(tensor.Uint4, 0xff),
		compare.Within(14, 0.9, compare.Elementwise), compare.Fail),

	Entry("defaults: float32 by torch's numbers", tensor.Of[float32](1000.001),
		tensor.Of[float32](1000), compare.Defaults(), compare.Pass),
	Entry("defaults: float32 beyond them", tensor.Of[float32](1000.002), tensor.Of[float32](1000),
		compare.Defaults(), compare.Fail),
	Entry("defaults: float16 is allowed more", halves(1000.5), halves(1000), compare.Defaults(),
		compare.Pass),
	Entry("defaults: integers are equal or not", tensor.Of[int8](1), tensor.Of[int8](2),
		compare.Defaults(), compare.Fail),
)

func packed(elem tensor.ElementType, data ...byte) *tensor.Tensor {
	t, err := tensor.FromBytes(elem, tensor.Shape{2 * len(data)}, data)
	must(err)
	return t
}

var _ = Describe("statistics", func() {
	It("agree with gonum where gonum can say", func() {
		x, y := noisy(5000)
		s := one(tensor.Of(x...), tensor.Of(y...), compare.Within(0, 0, compare.Mean)).Statistics()
		errors := make([]float64, len(x))
		for i := range errors {
			errors[i] = float64(float32(math.Abs(float64(x[i] - y[i]))))
		}
		mean, _ := stat.PopMeanVariance(errors, nil)
		Expect(s.Abs.Mean).To(BeNumerically("~", mean, 1e-15))
		Expect(s.Abs.Max).To(Equal(floats.Max(errors)))
		Expect(s.Abs.MaxAt).To(Equal([]int{floats.MaxIdx(errors)}))
		total := 0
		for _, n := range s.Abs.Histogram {
			total += n
		}
		Expect(total).To(Equal(5000))
	})

	It("count elements that are not finite, and leave them out", func() {
		actual := shaped(tensor.Shape{2, 3}, tensor.Of(nan, 1, inf, 4, -inf, 6.5))
		expected := shaped(tensor.Shape{2, 3}, tensor.Of(nan, 1, 3.0, 4, 5, 6))
		s := one(actual, expected, compare.Within(0, 0, compare.Elementwise)).Statistics()
		Expect(s.Mismatches).To(Equal(4))
		Expect(s.Actual.String()).To(Equal("1 NaN at [0,0], 1 +Inf and 1 -Inf at [0,2] [1,1]"))
		Expect(s.Expected.String()).To(Equal("1 NaN at [0,0]"))
		Expect(math.IsNaN(s.Abs.Max)).To(BeTrue())
		Expect(s.Abs.MaxAt).To(Equal([]int{0, 0}))
		Expect(s.FiniteAbs.Count).To(Equal(3))
		Expect(s.FiniteAbs.Max).To(Equal(0.5))
		Expect(s.FiniteAbs.MaxAt).To(Equal([]int{1, 2}))
		Expect(s.Worst).To(HaveLen(4), "the elements that do not mismatch are left out")
		Expect(s.Worst[0].Index).To(Equal([]int{0, 2}), "an infinite error comes first")
		Expect(s.Worst[3].Index).To(Equal([]int{0, 0}), "and NaN last")
	})
})
