//go:build !race

package plots_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/plots"
	"github.com/modelparity/modelparity/tensor"
)

// Drawing uses no goroutines, and takes seconds per picture under the race detector.
var _ = Describe("pictures of anything", func() {
	both := []plots.Kind{plots.HeatMaps, plots.Metrics}

	DescribeTable("are drawn of every shape", func(dims ...int) {
		n := 1
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i%7) - 2
		}
		zeros := make([]float32, n)
		Expect(drawn(compared("y", shaped(values, dims...), shaped(zeros, dims...)), both...)).
			To(HaveLen(3))
	},
		Entry("0-d"), Entry("1-d", 5), Entry("one element", 1), Entry("empty", 0),
		Entry("empty in an axis", 3, 0, 2), Entry("a long list", 4001), Entry("a column", 3000, 1),
		Entry("a row", 1, 3000), Entry("a wide one", 2, 5000), Entry("a tall one", 5000, 2),
		Entry("images", 2, 3, 5, 7), Entry("many small images", 500, 2, 2),
		Entry("seven axes", 2, 1, 2, 3, 1, 2, 2),
		Entry("beyond what Polygraphy draws", 1081, 1921))

	DescribeTable("are drawn for all numbers", func(actual, expected []float64) {
		Expect(drawn(compared("y", tensor.Of(actual...), tensor.Of(expected...)), both...)).
			To(HaveLen(3))
	},
		Entry("constants", []float64{3, 3, 3}, []float64{3, 3, 3}),
		Entry("zeros", []float64{0, 0}, []float64{0, math.Copysign(0, -1)}),
		Entry("NaN only", []float64{math.NaN(), math.NaN()}, []float64{math.NaN(), 1}),
		Entry("infinities only", []float64{math.Inf(1), math.Inf(-1)}, []float64{math.Inf(1), 0}),
		Entry("the greatest", []float64{math.MaxFloat64, 1}, []float64{-math.MaxFloat64, 1}),
		Entry("the least", []float64{5e-324, 0, 1e-320}, []float64{0, 5e-324, 0}),
		Entry("all scales", []float64{1e308, 1e-308, 1}, []float64{1e-308, 1e308, 1 + 1e-15}),
		Entry("one number", []float64{1 + 1e-16, 1e9}, []float64{1 + 2e-16, 1e9 + 1e-7}))

	It("are drawn of every element type", func() {
		for _, elem := range tensor.ElementTypes() {
			a, err := tensor.FromStrings(tensor.Shape{3}, []string{"a", "b", "c"})
			Expect(err).NotTo(HaveOccurred())
			b, err := tensor.FromStrings(tensor.Shape{3}, []string{"a", "x", "\x00"})
			Expect(err).NotTo(HaveOccurred())
			if elem != tensor.String {
				bits := make([]byte, 64)
				for i := range bits {
					bits[i] = byte(37 * i)
				}
				if elem == tensor.Bool {
					bits = []byte{0, 1, 0, 1, 1, 1, 0, 0}
				}
				size := (8*elem.Bits() + 7) / 8
				a, err = tensor.FromBytes(elem, tensor.Shape{8}, bits[:size])
				Expect(err).NotTo(HaveOccurred(), "%v", elem)
				bits[len(bits)-1], bits[0] = 1, 1
				b, err = tensor.FromBytes(elem, tensor.Shape{8}, append([]byte(nil), bits[:size]...))
				Expect(err).NotTo(HaveOccurred(), "%v", elem)
			}
			Expect(drawn(compared("y", a, b), both...)).To(HaveLen(3), "%v", elem)
		}
	})
})
