package noise_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Noise of sums", func() {
	noise := func(addends int, reordered, sequential bool) *compare.Noise {
		return &compare.Noise{Runs: 64, Addends: addends, Reordered: reordered, Sequential: sequential,
			Outputs: [][]compare.OutputNoise{{{Name: "y", Shape: tensor.Shape{4}, RMS: 1,
				Sigma: []float64{1, 1, 1, 1}, Independent: 4, Prior: 8}}}}
	}

	DescribeTable("is widened by what random orders do not show",
		func(addends int, reordered, sequential bool, factor float64) {
			plain, err := noise(0, reordered, false).Bar(compare.NoiseBars{})
			Expect(err).NotTo(HaveOccurred())
			n := noise(addends, reordered, sequential)
			bar, err := n.Bar(compare.NoiseBars{})
			Expect(err).NotTo(HaveOccurred())
			if reordered {
				plain /= 1.5
			}
			Expect(bar / plain).To(BeNumerically("~", factor, 1e-9))

			off := func(error float64) compare.Verdict {
				sets := func(y float64) []*tensor.Set {
					return []*tensor.Set{set("y", tensor.Of(y, y, y, y))}
				}
				report, err := compare.WithinNoise(sets(100+error), sets(100), n, compare.NoiseBars{},
					compare.Options{})
				Expect(err).NotTo(HaveOccurred())
				return report.Verdict
			}
			Expect(off(1.4 * bar)).To(Equal(compare.Fail))
			Expect(off(0.7 * bar)).To(Equal(compare.Pass))
		},
		Entry("other orders", 1, true, false, 1.5*math.Sqrt(1+1.0/4096)),
		Entry("other orders of many terms", 3*4096, true, false, 3.0),
		Entry("other orders of very many terms", 1<<20, true, false, 1.5*math.Sqrt(17)), // as of 65,536
		Entry("one term after the other", 24*99, true, true, 10.0),
		Entry("few terms, one after the other", 24, true, true, 1.5*math.Sqrt(1+24.0/4096)),
		Entry("moved operands", 24*3, false, false, 2.0),
	)

	It("is widened by 2 if some sums cannot be reordered", func() {
		n := noise(0, true, false)
		Expect(n.Sums()).To(Equal(1.5))
		n.Moved = "the operands of 1 LSTM moved"
		Expect(n.Sums()).To(Equal(2.0))
	})
})
