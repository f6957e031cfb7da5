package noise_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Engines err systematically in a part of a function's range, so a map whose values all lie in that
// part has an error that does not average out.
var _ = Describe("Noise of a function", func() {
	bounds := []float32{-90, -40, -18, -12, -8, -5, -3, -1.5, -0.5, -0.05, -1e-3, 1e-3, 0.05, 0.5, 1.5,
		3, 5, 8, 12, 18, 40, 80}
	alpha, gamma := float32(1.6732632), float32(1.050701)
	// tract's own constants for Selu have six digits: 1.67326 and 1.0507.
	constants := []onnxtest.Attr{{Name: "alpha", Float: &alpha}, {Name: "gamma", Float: &gamma}}

	DescribeTable("allows every engine's errors in each part of its range", func(ctx SpecContext,
		op string, from float32, attributes []onnxtest.Attr) {
		skips.Long(GinkgoT())
		ort.Require(GinkgoT())
		openvino.Require(GinkgoT())
		tract.Require(GinkgoT())
		m := loaders.ONNXBytes(op, onnxtest.Model{Opsets: map[string]int64{"": 20},
			Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{{Op: op, In: []string{"x"}, Out: []string{"y"},
					Attrs: attributes}},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n"}}},
				Outputs: []onnxtest.Value{{Name: "y"}},
			}}.Bytes())
		for k, low := range bounds[:len(bounds)-1] {
			if low < from {
				continue
			}
			x := make([]float32, 1500)
			for i := range x {
				x[i] = low + (bounds[k+1]-low)*float32(i)/1500
			}
			x[0] = 0.7 // a function's end alone has nothing but noise
			inputs := fixtures.Of(set("x", tensor.Of(x...)))
			reference := run(ctx, ort.Engine(), m, inputs)
			measured, err := noise.Measure(ctx, reference.Subject())
			Expect(err).NotTo(HaveOccurred())
			for _, engine := range []backends.Engine{openvino.Engine(), tract.Engine()} {
				report, err := compare.WithinNoise(run(ctx, engine, m, inputs).Outputs(),
					reference.Outputs(), measured, compare.Bars{}, compare.Options{})
				Expect(err).NotTo(HaveOccurred())
				Expect(report.Verdict).To(Equal(compare.Pass), "%v from %v: %s", engine, low,
					report.Text())
			}
		}
	},
		Entry(nil, "Celu", float32(-90), nil), Entry(nil, "Cos", float32(-90), nil),
		Entry(nil, "Elu", float32(-90), nil), Entry(nil, "Erf", float32(-90), nil),
		Entry(nil, "Exp", float32(-90), nil), Entry(nil, "Gelu", float32(-90), nil),
		Entry(nil, "HardSigmoid", float32(-90), nil), Entry(nil, "HardSwish", float32(-90), nil),
		Entry(nil, "Log", float32(1e-3), nil), Entry(nil, "Mish", float32(-90), nil),
		Entry(nil, "Selu", float32(-90), constants), Entry(nil, "Sigmoid", float32(-90), nil),
		Entry(nil, "Sin", float32(-90), nil), Entry(nil, "Softplus", float32(-90), nil),
		Entry(nil, "Tanh", float32(-90), nil), Entry(nil, "Atan", float32(-90), nil),
	)
})
