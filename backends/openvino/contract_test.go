package openvino_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("OpenVINO, as every engine,", func() {
	needed()

	without := []tensor.ElementType{tensor.String, tensor.Float8E4M3FNUZ, tensor.Float8E5M2FNUZ,
		tensor.Int2, tensor.Uint2}
	types := slices.DeleteFunc(tensor.ElementTypes(),
		func(elem tensor.ElementType) bool { return slices.Contains(without, elem) })
	wraps := "the CPU plugin keeps the lower 32 bits of an int64; docs/evidence/findings.md"
	for _, spec := range backendtest.Specs(openvino.Engine(), backendtest.Types(types...),
		backendtest.Except("carries tensors of int64", wraps),
		backendtest.Except("carries 0-d tensors of int64", wraps)) {
		It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
	}
})
