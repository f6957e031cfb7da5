package compare_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
)

var _ = Describe("ThreeWay", func() {
	ten := func(errors ...float64) [][]float64 {
		inputs := make([][]float64, 10)
		for i := range inputs {
			inputs[i] = errors
		}
		return inputs
	}

	It("has 100 bins of equal width, from 0 to the greatest error of either side", func() {
		// Magnitudes from 0.01 to 0.02 lie in the second bin, and 0.021 in the third.
		same := compare.ThreeWayOf(ten(1, 0.0149, -0.015), ten(1, -0.0199, 0.0101))
		Expect(same.Overlap).To(BeNumerically("~", 1, 1e-12))
		next := compare.ThreeWayOf(ten(1, 0.0149, -0.015), ten(1, 0.021, 0.0101))
		// p is ⅓ and ⅔, q ⅓, ⅓ and ⅓: ⅓ + √(⅔·⅓).
		Expect(next.Overlap).To(BeNumerically("~", 1.0/3+math.Sqrt(2.0/9), 1e-12))
		Expect(compare.ThreeWayOf(ten(1), ten(0.001)).Overlap).To(BeZero())
		Expect(compare.ThreeWayOf(ten(0), ten(0)).Overlap).To(Equal(1.0))
	})

	It("pools the errors, and takes the worst input for the other two ratios", func() {
		t := compare.ThreeWayOf([][]float64{{3, 4}, {1, 0}}, [][]float64{{3, 4}, {0.25, 0}})
		Expect(t.SigmaRatio).To(BeNumerically("~", math.Sqrt(26/25.0625), 1e-12))
		Expect(t.Greatest).To(Equal(4.0))
		Expect(t.Norm).To(Equal(4.0))
		Expect(t.String()).To(HaveSuffix("over 2 inputs (published for 10)"))
	})

	DescribeTable("rejects by the published numbers, and says by which",
		func(t compare.ThreeWay, by ...any) {
			Expect(t.Rejected()).To(HaveExactElements(by...))
		},
		Entry("equal errors", compare.ThreeWay{Overlap: 0.99, SigmaRatio: 1.2, Greatest: 4.9, Norm: 2.9}),
		Entry("smaller errors of another shape", compare.ThreeWay{Overlap: 0.1, SigmaRatio: 1}),
		Entry("larger errors", compare.ThreeWay{Overlap: 0.98, SigmaRatio: 1.01},
			HavePrefix("overlap 0.98 (want ≥ 0.99) and σ ratio 1.01")),
		Entry("one element", compare.ThreeWay{Overlap: 1, Greatest: 5}, "L∞ ratio 5 (want < 5)"),
		Entry("one input", compare.ThreeWay{Overlap: 1, Norm: 3}, "L2 ratio 3 (want < 3)"),
		Entry("NaN", compare.ThreeWay{Overlap: math.NaN(), SigmaRatio: math.NaN(), Greatest: math.NaN(),
			Norm: math.NaN()}, HavePrefix("overlap"), HavePrefix("L∞"), HavePrefix("L2")),
	)
})
