package cnn_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/conformance/cnn"
	"github.com/modelparity/modelparity/tensor"
)

// What the specs on a GPU rest on, without one.
var _ = Describe("the bounds", Ordered, ContinueOnFailure, func() {
	BeforeEach(func() { ort.Need(GinkgoT()) })

	for _, name := range cnn.Names() {
		It("are kept by "+name+" in another order of additions", func(ctx SpecContext) {
			s := get(ctx, name)
			actual, err := ort.Run(ctx, s.model, s.inputs, ort.OptimizationLevel(ort.OptimizeNone))
			Expect(err).NotTo(HaveOccurred())
			m := measure(actual, s)
			m.Precision = "fp32, unoptimized"
			m.record()
			Expect(actual).To(within(s, order).Of(s.expected))
		}, long)

		for _, f := range []struct {
			elem tensor.ElementType
			unit float64
		}{{tensor.Float16, unit16}, {tensor.BFloat16, unitBF}} {
			It("are kept by "+name+" when all is stored in "+f.elem.String()+", and not by far",
				func(ctx SpecContext) {
					s := get(ctx, name)
					stored, err := s.network.Stored(f.elem)
					Expect(err).NotTo(HaveOccurred())
					actual, err := ort.Run(ctx, upToLogits(stored), s.inputs)
					Expect(err).NotTo(HaveOccurred())
					m := measure(actual, s)
					m.Precision = "stored in " + f.elem.String()
					m.record()
					limit := bound(f.unit)
					Expect(actual).To(within(s, limit).Of(s.expected))
					Expect(m.Max).To(BeNumerically(">", limit/25))
					Expect(m.Norm).To(BeNumerically(">", f.unit/4))
				}, long)
		}
	}
})
