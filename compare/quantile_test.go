package compare_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("the median of errors near the end of float32", func() {
	const huge = float32(3e38)
	DescribeTable("overflows where NumPy's mean of two does", func(n int, want float64) {
		values := make([]float32, n)
		for i := range values {
			values[i] = huge
		}
		actual, err := tensor.New(tensor.Shape{n}, values)
		must(err)
		expected, err := tensor.New(tensor.Shape{n}, make([]float32, n))
		must(err)
		out, err := compare.Tensors(actual, expected, compare.Options{
			Checks: []compare.Check{compare.Within(0, 0, compare.Median)}})
		Expect(err).NotTo(HaveOccurred())
		Expect(out.Results[0].Abs).To(Equal(want))
		Expect(out.Statistics().Abs.Median).To(Equal(want))
	},
		Entry("of one", 1, float64(huge)),
		Entry("of two, whose sum overflows", 2, math.Inf(1)),
		Entry("of an odd number", 2001, float64(huge)),
		Entry("of an even number, beyond a chunk", 2002, math.Inf(1)),
	)
})
