package openvino_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("Compared with ONNX Runtime", func() {
	needed()

	DescribeTable("the examples' models agree", func(ctx SpecContext, path string, bound float64,
		options ...fixtures.Option) {
		ort.Require(GinkgoT())
		m := loaders.ONNX("../../example_test/" + path)
		inputs := fixtures.Random(m, append(options, fixtures.Iterations(3))...)
		expected, err := ort.Run(ctx, m, inputs)
		Expect(err).NotTo(HaveOccurred())
		for _, o := range [][]openvino.Option{nil, {openvino.StaticShapes()}, {openvino.Threads(2)}} {
			Expect(openvino.Run(ctx, m, inputs, o...)).To(
				MatchOutputsWithin(bound, bound, Elementwise).Of(expected))
		}
	},
		Entry("a trained network", "digits/testdata/digits.onnx", 1e-5,
			fixtures.Shape("image", 16, 1, 8, 8)),
		// Within one step of the quantisation, which is 0.16 at the logits.
		Entry("the same in int8", "digits-int8/testdata/digits_int8.onnx", 0.17),
		Entry("an encoder of dynamic shapes", "dynamic/testdata/encoder.onnx", 1e-5),
	)
})
