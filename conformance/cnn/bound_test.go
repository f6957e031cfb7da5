package cnn_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	formats "github.com/modelparity/modelparity/precision"
)

// These specs verify the bounds for the GPU specs without a GPU.
var _ = Describe("the bounds", Ordered, ContinueOnFailure, func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	for _, name := range cnn.Names() {
		It("hold for "+name+" with another order of additions", func(ctx SpecContext) {
			s := get(ctx, name)
			actual, err := ort.Run(ctx, s.model, s.inputs, ort.OptimizationLevel(ort.OptimizeNone))
			Expect(err).NotTo(HaveOccurred())
			m := measure(actual, s.expected, s)
			m.Precision = "fp32, unoptimized"
			m.record()
			Expect(actual).To(within(s, order).Of(s.expected))
		}, long)

		for _, f := range []struct {
			format formats.Format
			unit   float64
		}{{formats.FP16, unit16}, {formats.BF16, unitBF}} {
			It("hold tightly for "+name+" with all tensors stored in "+string(f.format),
				func(ctx SpecContext) {
					s := get(ctx, name)
					m, actual := s.rounded(ctx, f.format)
					m.Precision = "stored in " + string(f.format)
					m.record()
					limit := bound(f.unit)
					Expect(actual).To(within(s, limit).Of(s.expected))
					Expect(m.Max).To(BeNumerically(">", limit/25))
					Expect(m.Norm).To(BeNumerically(">", f.unit/4))
				}, long)
		}
	}
})

// rounded runs the network rounded to a format, with float32 arithmetic.
func (s *subject) rounded(ctx context.Context, format formats.Format) (figures, *backends.Run) {
	GinkgoHelper()
	model, err := formats.Round(ctx, s.expected.Subject(), format, nil)
	Expect(err).NotTo(HaveOccurred())
	actual, err := ort.Run(ctx, model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	return measure(actual, s.expected, s), actual
}
