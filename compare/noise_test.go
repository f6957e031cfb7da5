package compare_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// draws makes runs of one float32 output: each is base plus what draw gives for its elements.
func draws(count int, base []float64, draw func() []float64) [][]*tensor.Set {
	GinkgoHelper()
	var runs [][]*tensor.Set
	for range count {
		values := make([]float64, len(base))
		for i, d := range draw() {
			values[i] = base[i] + d
		}
		runs = append(runs, oneOutput(tensor.Of(values...)))
	}
	return runs
}

func oneOutput(t *tensor.Tensor) []*tensor.Set {
	GinkgoHelper()
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
	must(err)
	return []*tensor.Set{set}
}

var _ = DescribeTable("noise fails a correct run no more often than it says",
	func(elements int, draw func(r *rand.Rand, n int) []float64) {
		const trials, falseAlarm = 400, 0.02
		r := rand.New(rand.NewPCG(1, uint64(elements)))
		base := make([]float64, elements)
		failed := 0
		for range trials {
			runs := draws(10, base, func() []float64 { return draw(r, elements) })
			noise, err := compare.NoiseOf(runs[2:], 0, nil)
			Expect(err).NotTo(HaveOccurred())
			report, err := compare.WithinNoise(runs[0], runs[1], noise,
				compare.Bars{FalseAlarm: falseAlarm}, compare.Options{})
			Expect(err).NotTo(HaveOccurred())
			if report.Verdict == compare.Fail {
				failed++
				continue
			}
			bounds, err := noise.Bounds(runs[1], compare.Bars{FalseAlarm: falseAlarm})
			Expect(err).NotTo(HaveOccurred())
			Expect(within(runs[0], runs[1], bounds[0])).To(BeTrue())
		}
		GinkgoWriter.Printf("%d of %d\n", failed, trials)
		Expect(failed).To(BeNumerically("<=", trials*falseAlarm+3*math.Sqrt(trials*falseAlarm)))
	},
	Entry("one element", 1, normals),
	Entry("independent elements", 100, normals),
	Entry("elements that all move together", 100, func(r *rand.Rand, n int) []float64 {
		return common(r, n, 0)
	}),
	Entry("half of the variance in common", 100, func(r *rand.Rand, n int) []float64 {
		return common(r, n, 1)
	}),
	Entry("a little in common", 200, func(r *rand.Rand, n int) []float64 { return common(r, n, 3) }),
	Entry("elements of very different spread", 100, func(r *rand.Rand, n int) []float64 {
		values := normals(r, n)
		for i := range values {
			values[i] *= math.Exp(float64(i%10) / 2)
		}
		return values
	}),
)

// within reports whether errors stay below bounds, and their median below √2 times the bound of
// their root mean square.
func within(actual, expected []*tensor.Set, bound compare.NoiseBound) bool {
	a, e := actual[0].At(0).Tensor, expected[0].At(0).Tensor
	errs := make([]float64, a.Len())
	for i := range errs {
		errs[i] = math.Abs(a.Float64At(i) - e.Float64At(i))
		if errs[i] > bound.Elements[i] {
			return false
		}
	}
	slices.Sort(errs)
	return errs[(len(errs)-1)/2] <= math.Sqrt2*bound.RMS
}

func normals(r *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	return values
}

// common is one normal number in every element, and own times another of its own.
func common(r *rand.Rand, n int, own float64) []float64 {
	values := normals(r, n)
	shared := r.NormFloat64()
	for i := range values {
		values[i] = own*values[i] + shared
	}
	return values
}

var _ = Describe("noise of a quantised model", func() {
	counts := map[string]int{"QuantizeLinear": 3, "com.microsoft.QGemm": 1, "Relu": 5, "ArgMax": 1,
		"ReduceMean": 2}
	judge := func(actual []float64, unseen map[string]int) (compare.Report, error) {
		GinkgoHelper()
		r := rand.New(rand.NewPCG(1, 2))
		runs := draws(8, make([]float64, 50), func() []float64 { return normals(r, 50) })
		noise, err := compare.NoiseOf(runs, 0, nil)
		Expect(err).NotTo(HaveOccurred())
		noise.Unseen = unseen
		return compare.WithinNoise(oneOutput(tensor.Of(actual...)), oneOutput(
			tensor.Of(make([]float64, 50)...)), noise, compare.Bars{}, compare.Options{})
	}
	far := make([]float64, 50)
	far[7] = 1e6

	It("passes what is within it, and leaves undecided what is beyond", func() {
		report, err := judge(make([]float64, 50), counts)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		_, err = judge(far, counts)
		var undecided *compare.Undecided
		Expect(errors.As(err, &undecided)).To(BeTrue())
		Expect(undecided.Nodes).To(Equal("3 QuantizeLinear, 1 com.microsoft.QGemm"))
		Expect(err).To(MatchError(And(ContainSubstring("the error exceeds the noise, but that does "+
			"not prove a fault: the model quantises (3 QuantizeLinear"), ContainSubstring("compare.SNR(20)"),
			ContainSubstring(" σ at [7]"))))
	})

	It("fails where NaN appears, and in a model that only has other steps", func() {
		appeared := make([]float64, 50)
		appeared[3] = math.NaN()
		for _, one := range []struct {
			actual []float64
			unseen map[string]int
		}{{appeared, counts}, {far, map[string]int{"ArgMax": 1}}, {far, nil}} {
			report, err := judge(one.actual, one.unseen)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail))
		}
	})

	It("says what it may not show", func() {
		unseen := compare.UnseenOf(counts)
		Expect(unseen).NotTo(HaveKey("Relu"))
		Expect((&compare.Noise{Unseen: unseen}).Limits()).To(Equal([]string{
			"rounding can make values jump in 1 ArgMax, 3 QuantizeLinear, 1 com.microsoft.QGemm: the " +
				"noise includes only the jumps that occurred in the measured runs",
			"the noise does not include the effect of summation order in 2 ReduceMean"}))
		Expect((&compare.Noise{}).Limits()).To(BeEmpty())
	})
})

var _ = Describe("noise next to NaN and infinities", func() {
	one := func(actual, expected *tensor.Tensor) (compare.Report, error) {
		GinkgoHelper()
		r := rand.New(rand.NewPCG(1, 2))
		base := expected.Float64s()
		runs := draws(8, base, func() []float64 { return normals(r, len(base)) })
		noise, err := compare.NoiseOf(runs, 0, nil)
		Expect(err).NotTo(HaveOccurred())
		_, bounds := noise.Bounds(oneOutput(expected), compare.Bars{})
		report, err := compare.WithinNoise(oneOutput(actual), oneOutput(expected), noise,
			compare.Bars{}, compare.Options{})
		if err != nil {
			Expect(bounds).To(MatchError(err.Error()), "limits and verdict must agree")
		}
		return report, err
	}
	DescribeTable("judges what is finite, and is an error if nothing is", func(actual,
		expected *tensor.Tensor, verdict compare.Verdict, says string) {
		report, err := one(actual, expected)
		if says != "" {
			Expect(err).To(MatchError(ContainSubstring(says)))
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(verdict))
	},
		Entry("NaN alone", tensor.Of(nan, nan), tensor.Of(nan, nan), compare.Pass,
			"proves nothing about output \"y\": no element is finite in every run, so nothing is left to "+
				"compare; find where NaN and infinities arise with `modelparity locate MODEL --non-finite`"),
		Entry("infinities alone", tensor.Of(inf, -inf), tensor.Of(inf, -inf), compare.Pass,
			"no element is finite in every run"),
		Entry("NaN next to a number", tensor.Of(nan, 1), tensor.Of(nan, 1), compare.Pass, ""),
		Entry("another number", tensor.Of(nan, 99), tensor.Of(nan, 1), compare.Fail, ""),
		Entry("a number instead of NaN", tensor.Of(3, 1.), tensor.Of(nan, 1), compare.Fail, ""),
		Entry("another infinity", tensor.Of(inf, 1), tensor.Of(-inf, 1), compare.Fail, ""),
		Entry("numbers instead of NaN alone", tensor.Of(3, 1.), tensor.Of(nan, nan), compare.Fail, ""),
	)
})

var _ = Describe("noise of tiny numbers", func() {
	for _, scale := range []float64{1e-30, 1e-170, 1e-300} {
		It(fmt.Sprintf("is compared with its own size at %g", scale), func() {
			r := rand.New(rand.NewPCG(1, 2))
			base := make([]float64, 40)
			for i := range base {
				base[i] = scale * (1 + float64(i))
			}
			draw := func() []float64 {
				values := normals(r, 40)
				for i := range values {
					values[i] *= 1e-6 * base[i]
				}
				return values
			}
			runs := draws(10, base, draw)
			noise, err := compare.NoiseOf(runs[2:], 0, nil)
			Expect(err).NotTo(HaveOccurred())
			verdict := func(actual []*tensor.Set) compare.Verdict {
				report, err := compare.WithinNoise(actual, runs[1], noise, compare.Bars{},
					compare.Options{})
				Expect(err).NotTo(HaveOccurred())
				return report.Verdict
			}
			Expect(verdict(runs[0])).To(Equal(compare.Pass))
			Expect(verdict(runs[1])).To(Equal(compare.Pass))
			base[39] *= 1.01
			Expect(verdict(draws(1, base, func() []float64 { return make([]float64, 40) })[0])).To(
				Equal(compare.Fail))
		})
	}

	It("takes an element that few runs move as one that none moves", func() {
		r := rand.New(rand.NewPCG(1, 2))
		run := 0
		runs := draws(8, make([]float64, 400), func() []float64 {
			values := normals(r, 400)
			for i := range values {
				values[i] *= math.Exp2(float64(i % 12)) // the elements' own variances decide
			}
			values[0], values[1], values[2] = 0, 0, 0
			if run++; run == 5 {
				values[1], values[2] = 1e-6, 1e6
			}
			return values
		})
		noise, err := compare.NoiseOf(runs, 0, nil)
		Expect(err).NotTo(HaveOccurred())
		sigma := noise.Outputs[0][0].Sigma
		Expect(sigma[1]).To(BeNumerically("~", sigma[0], 1e-6))
		Expect(sigma[2]).To(BeNumerically("~", 1e6/math.Sqrt(8), 1))
	})

	// A softmax of two classes is near 1 and near 0.
	It("gives each of two unlike elements its own σ, and two alike ones a common σ", func() {
		r := rand.New(rand.NewPCG(1, 2))
		sigmas := func(small float64) []float64 {
			noise, err := compare.NoiseOf(draws(8, []float64{0, 0}, func() []float64 {
				values := normals(r, 2)
				values[1] *= small
				return values
			}), 0, nil)
			Expect(err).NotTo(HaveOccurred())
			return noise.Outputs[0][0].Sigma
		}
		for _, small := range []float64{1e-2, 1e-4, 1e-12} {
			found := sigmas(small)
			Expect(found[0]).To(BeNumerically("~", 1, 0.7))
			Expect(found[1]).To(BeNumerically("~", small, 0.7*small))
		}
		alike := 0
		for range 100 {
			if found := sigmas(1); math.Abs(found[0]/found[1]-1) < 1e-3 {
				alike++
			}
		}
		Expect(alike).To(BeNumerically(">", 50))
	})

	It("holds zeros of float64 to zeros", func() {
		zeros := oneOutput(tensor.Of(make([]float64, 8)...))
		noise, err := compare.NoiseOf([][]*tensor.Set{zeros, zeros, zeros, zeros}, 0, nil)
		Expect(err).NotTo(HaveOccurred())
		report, err := compare.WithinNoise(zeros, zeros, noise, compare.Bars{}, compare.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
	})
})

var _ = Describe("a slice of noise", func() {
	n := &compare.Noise{Runs: 8, Addends: 3, Outputs: [][]compare.OutputNoise{{
		{Name: "y", Shape: tensor.Shape{2, 3, 2}, RMS: 0.5, Unsettled: []int{3, 10},
			Sigma: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{Name: "label", Shape: tensor.Shape{2, 3}, Unsettled: []int{1, 5}}}}}

	It("has the elements at one index along an axis", func() {
		Expect(n.Slice(0, "y", 1, 2)).To(Equal(&compare.Noise{Runs: 8, Addends: 3,
			Outputs: [][]compare.OutputNoise{{{Name: "y", Shape: tensor.Shape{2, 1, 2}, RMS: 0.5,
				Unsettled: []int{2}, Sigma: []float64{4, 5, 10, 11}}}}}))
		Expect(n.Slice(0, "label", 1, 1)).To(HaveField("Outputs", Equal([][]compare.OutputNoise{
			{{Name: "label", Shape: tensor.Shape{2, 1}, Unsettled: []int{0}}}})))
		Expect(n.Slice(0, "y", -1, 0)).To(HaveField("Outputs", Equal([][]compare.OutputNoise{
			{n.Outputs[0][0]}})))
		Expect(n.Outputs[0][0].Unsettled).To(Equal([]int{3, 10}), "the whole is left alone")
	})

	DescribeTable("that there is not is an error", func(iteration int, output string, axis, at int,
		said string) {
		_, err := n.Slice(iteration, output, axis, at)
		Expect(err).To(MatchError(said))
	},
		Entry(nil, 1, "y", 0, 0, "noise: there is no iteration 1; the noise covers 1 iterations"),
		Entry(nil, 0, "z", 0, 0, `noise: no output "z" in iteration 0`),
		Entry(nil, 0, "y", 3, 0, `noise: output "y" [2,3,2] has no index 0 along axis 3`),
		Entry(nil, 0, "y", 1, 3, `noise: output "y" [2,3,2] has no index 3 along axis 1`),
	)
})
