package compare_test

import (
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
			noise, err := compare.NoiseOf(runs[2:], 0)
			Expect(err).NotTo(HaveOccurred())
			report, err := compare.WithinNoise(runs[0], runs[1], noise,
				compare.NoiseBars{FalseAlarm: falseAlarm}, compare.Options{})
			Expect(err).NotTo(HaveOccurred())
			if report.Verdict == compare.Fail {
				failed++
				continue
			}
			bounds, err := noise.Bounds(runs[1], compare.NoiseBars{FalseAlarm: falseAlarm})
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
