//go:build linux && cgo

package trt_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
)

var _ = Describe("TensorRT in a process of its own", func() {
	It("runs as it does in this one, on the mock", func(ctx SpecContext) {
		model := one("Relu", 1, "n", 3)
		inputs := fixtures.Random(model, fixtures.Iterations(2))
		options := on(mock(10, 6), trt.FP16())
		here, err := trt.Run(ctx, model, inputs, options...)
		Expect(err).NotTo(HaveOccurred())
		there, err := isolated.Run(ctx, trt.Engine(options...), model, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(there.Outputs()).To(Equal(here.Outputs()))
		Expect(there.Provenance).To(Equal(here.Provenance))
	})
})
