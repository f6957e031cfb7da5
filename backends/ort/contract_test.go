package ort_test

import (
	"fmt"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("ONNX Runtime, as every engine,", func() {
	// ONNX Runtime has no Identity of these on the CPU; int4 goes through other operators
	// (value_test.go).
	without := []tensor.ElementType{tensor.Int4, tensor.Uint4, tensor.Float8E8M0, tensor.Float4E2M1,
		tensor.Int2, tensor.Uint2}
	types := slices.DeleteFunc(tensor.ElementTypes(),
		func(elem tensor.ElementType) bool { return slices.Contains(without, elem) })
	for _, spec := range backendtest.Specs(ort.Engine(), backendtest.Types(types...)) {
		It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
	}
})

var _ = skips.Announce("plug-ins: ", "make conformance-plugins")

var _ = Describe("ONNX Runtime with a plug-in, as every engine,", func() {
	plugged := func(name string, plugin ort.Option, options ...backendtest.Option) {
		for _, spec := range backendtest.Specs(ort.Engine(plugin), options...) {
			It(spec.Name+", "+name, Serial, func(ctx SpecContext) {
				if os.Getenv("MODELPARITY_PLUGINS") == "" {
					Skip("plug-ins: make conformance-plugins runs it, in minutes")
				}
				ort.Require(GinkgoT(), plugin)
				spec.Run(ctx, GinkgoT())
			})
		}
	}
	few := []tensor.ElementType{tensor.Float32, tensor.Float16, tensor.Int32, tensor.Uint32}
	plugged("WebGPU", ort.PluginEP("webgpu"), backendtest.Types(few...))
	library := os.Getenv("MODELPARITY_NXRT_LIBRARY_PATH")
	if library == "" {
		return
	}
	all := append(few, tensor.BFloat16, tensor.Bool, tensor.Float64, tensor.Int8, tensor.Int16,
		tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint64)
	options := []backendtest.Option{backendtest.Types(all...)}
	for _, elem := range all {
		options = append(options, backendtest.Except(fmt.Sprintf("carries empty tensors of %v", elem),
			"docs/evidence/findings.md, \"Identity of nothing\""))
	}
	plugged("nxrt", ort.PluginEP(library), options...)
})
