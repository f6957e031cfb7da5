package cnn_test

import (
	"context"
	"math"

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

		It("hold tightly for "+name+" with all tensors quantized to int8",
			func(ctx SpecContext) {
				s := get(ctx, name)
				quantized, err := s.network.Quantized(greatest(ctx, s))
				Expect(err).NotTo(HaveOccurred())
				actual, err := ort.Run(ctx, cut(quantized, s.network.Logits()), s.inputs)
				Expect(err).NotTo(HaveOccurred())
				m := measure(actual, s.expected, s)
				m.Precision = "quantized to int8"
				m.record()
				Expect(actual).To(quantizedWell(s).Of(s.expected))
				Expect(m.SNR).To(BeNumerically("<", leastSNR(name)+20))
			}, long)
	}
})

// greatest returns the greatest magnitude of every inner tensor.
func greatest(ctx context.Context, s *subject) map[string]float64 {
	GinkgoHelper()
	found, names := map[string]float64{}, []string{}
	for _, one := range s.network.Nodes() {
		names = append(names, one.Outputs...)
	}
	model, err := whole(s.network).Mark(names...)
	Expect(err).NotTo(HaveOccurred())
	run, err := ort.Run(ctx, model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	for _, set := range run.Outputs() {
		for name, t := range set.All() {
			for _, v := range t.Float64s() {
				found[name] = math.Max(found[name], math.Abs(v))
			}
		}
	}
	return found
}

// rounded runs the network rounded to a format, with float32 arithmetic.
func (s *subject) rounded(ctx context.Context, format formats.Format) (figures, *backends.Run) {
	GinkgoHelper()
	model, err := formats.Round(ctx, s.expected.Subject(), format)
	Expect(err).NotTo(HaveOccurred())
	actual, err := ort.Run(ctx, model, s.inputs)
	Expect(err).NotTo(HaveOccurred())
	return measure(actual, s.expected, s), actual
}
