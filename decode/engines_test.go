package decode_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/tally"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("Other engines", func() {
	// Both reject t5's merged branches: OpenVINO with "CPU plug-in doesn't support If operation with
	// dynamic rank"; tract unifies the encoder's length across the branches.
	for _, name := range []string{"gpt2", "llama"} {
		It("drive "+name+" in OpenVINO", func(ctx SpecContext) {
			ort.Require(GinkgoT())
			openvino.Require(GinkgoT())
			e := exportedAs(name)
			Expect(decode.Run(ctx, openvino.Engine(), e.model, e.padded())).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
					must(decode.Run(ctx, ort.Engine(), e.model, e.padded()))))
		})
		It("drive "+name+" in tract", func(ctx SpecContext) {
			ort.Require(GinkgoT())
			tract.Require(GinkgoT())
			e := exportedAs(name)
			Expect(decode.Run(ctx, tract.Engine(), e.model, e.padded())).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
					must(decode.Run(ctx, ort.Engine(), e.model, e.padded()))))
		})
	}
})

var _ = Describe("The suite's list of runs", func() {
	It("contains a decoder's model and its engine", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		e := exportedAs("llama")
		for _, engine := range []backends.Engine{ort.Engine(), isolated.Engine(ort.Engine())} {
			tally.Take()
			run := must(decode.Run(ctx, engine, e.model, e.padded()))
			made := run.Provenance
			Expect(tally.Take()).To(Equal([]tally.Run{{Engine: made.String(), Name: made.Backend,
				Version: made.Version, Model: "llama.onnx"}}))
		}
	})
})

func must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}
