//go:build linux && cgo

package trt_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("TensorRT, as every engine,", func() {
	// contract makes a spec of each that the engine is asked about. Its options are known in the spec
	// alone, because the mock is compiled there.
	contract := func(asked func(name string) bool, with func() []trt.Option,
		options ...backendtest.Option) {
		options = append(options, backendtest.LogsInErrors(),
			backendtest.Except("takes different shapes from run to run",
				"an engine is built for the shapes of its inputs; trt.Profile names a range"),
			backendtest.Except("frees what it opened",
				"the builder is kept for the process, and keeps the profiles of its builds"))
		for i, spec := range backendtest.Specs(trt.Engine(), options...) {
			if asked(spec.Name) {
				It(spec.Name, Serial, func(ctx SpecContext) {
					backendtest.Specs(trt.Engine(with()...), options...)[i].Run(ctx, GinkgoT())
				})
			}
		}
	}

	Context("on the mock", func() {
		contract(func(string) bool { return true }, func() []trt.Option { return on(mock(10, 6)) },
			backendtest.Types(tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Float8E4M3FN,
				tensor.Int64, tensor.Int32, tensor.Int8, tensor.Int4, tensor.Uint8, tensor.Bool))
	})

	Context("on a GPU", Label("gpu"), func() {
		BeforeEach(needGPU)

		// TensorRT carries others between layers of some kinds only, by version and by GPU.
		kinds := []tensor.ElementType{tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Int64,
			tensor.Int32, tensor.Bool}
		contract(func(name string) bool {
			_, of, typed := strings.Cut(name, "tensors of ")
			return !typed || slices.ContainsFunc(kinds,
				func(t tensor.ElementType) bool { return t.String() == of })
		}, func() []trt.Option { return []trt.Option{trt.NoEngineCache(), trt.OptimizationLevel(0)} })
	})
})
