package goldenfiles_test

import (
	"encoding/json"
	"math"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A tensor's summary", func() {
	It("counts what is not finite, and looks at the rest", func() {
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		s := goldenfiles.Summarize(tensor.Of(1, nan, inf, -inf, inf, 0, 3, 4))
		Expect(s).To(And(HaveField("Elements", 8), HaveField("NaN", 1), HaveField("PosInf", 2),
			HaveField("NegInf", 1), HaveField("Zeros", 1)))
		Expect([]jsonfloat.Float{s.Min, s.Max, s.Mean}).To(Equal([]jsonfloat.Float{0, 4, 2}))
		Expect(s.StdDev).To(BeNumerically("~", math.Sqrt(2.5), 1e-15), "of the population")
		Expect(s.Histogram).To(Equal([]int{1, 0, 1, 0, 0, 0, 0, 1, 0, 1}))
	})

	It("prints as one line, and its histogram as bars", func() {
		s := goldenfiles.Summarize(tensor.Of(math.NaN(), 0, 1, 1, 10))
		Expect(s.String()).To(Equal("min 0  max 10  mean 3  std 4.06202  zeros 1  NaN 1"))
		bars := s.Bars()
		Expect(bars).To(HaveLen(10))
		Expect(bars[1]).To(Equal("           1 … 2                    2 " + strings.Repeat("#", 40)))
		Expect(goldenfiles.Summarize(tensor.Of[int8](7)).Bars()).To(BeEmpty())
	})

	It("has no range for constants, strings and nothing, and JSON takes it all the same", func() {
		Expect(goldenfiles.Summarize(tensor.Of[int8](7, 7)).Histogram).To(BeNil())
		text, err := tensor.FromStrings(tensor.Shape{1}, []string{"a"})
		Expect(err).NotTo(HaveOccurred())
		for _, t := range []*tensor.Tensor{text, tensor.Of[float32](), tensor.Of(math.NaN()), nil} {
			Expect(math.IsNaN(float64(goldenfiles.Summarize(t).Mean))).To(BeTrue())
			Expect(json.Marshal(goldenfiles.Summarize(t))).To(ContainSubstring(`"mean":"NaN"`))
			Expect(goldenfiles.Summarize(t).String()).To(BeElementOf("", "NaN 1"))
		}
	})

	It("bears a range that overflows", func() {
		Expect(goldenfiles.Summarize(tensor.Of(math.MaxFloat64, -math.MaxFloat64)).Histogram).To(BeNil())
	})
})
