package ort_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	nxrt := os.Getenv("MODELPARITY_NXRT_LIBRARY_PATH") // an independent provider for CPUs
	for _, path := range []string{"webgpu", cmp.Or(nxrt, "nxrt")} {
		plugin := ort.PluginEP(path)
		for _, spec := range backendtest.Specs(ort.Engine(plugin), backendtest.Types(tensor.Float32,
			tensor.Float16, tensor.Int32, tensor.Uint32)) {
			It(spec.Name+", on "+strings.TrimSuffix(filepath.Base(path), ".so"), Serial,
				func(ctx SpecContext) {
					if os.Getenv("MODELPARITY_PLUGINS") == "" || path == "nxrt" {
						Skip("plug-ins: make conformance-plugins runs it, in minutes")
					}
					ort.Require(GinkgoT(), plugin)
					spec.Run(ctx, GinkgoT())
				})
		}
	}
})
