package noise_test

import (
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// plant returns the model with the fault, at that size.
func plant(model *loaders.Model, fault noise.Planted, change float64) *loaders.Model {
	GinkgoHelper()
	planted, err := edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
		if c.Name != fault.Constant {
			return nil, nil
		}
		values := c.Values.Float64s()
		greatest := 0
		for i, v := range values {
			if math.Abs(v) > math.Abs(values[greatest]) {
				greatest = i
			}
		}
		for i := range values {
			if fault.Whole || i == greatest {
				values[i] *= 1 + change
			}
		}
		wide, err := tensor.New(c.Values.Shape(), values)
		Expect(err).NotTo(HaveOccurred())
		return wide.Convert(c.Values.ElementType())
	})
	Expect(err).NotTo(HaveOccurred())
	return planted
}

// weights are n float32 between -1 and 1.
func weights(n int) []byte {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	return onnxtest.Float32s(values...)
}

var _ = Describe("The power of noise", func() {
	It("is caught in every engine, and a hundredth of it is not", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model, inputs := digits()
		reference := run(ctx, ort.Engine(), model, inputs)
		measured, err := noise.Measure(ctx, reference.Subject())
		Expect(err).NotTo(HaveOccurred())
		power, err := noise.Power(ctx, reference.Subject(), measured, compare.NoiseBars{})
		Expect(err).NotTo(HaveOccurred())
		Expect(power).To(HaveLen(6))
		others := []backends.Engine{ort.Engine(), ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))}
		if enginetest.Has("openvino", openvino.Available()) {
			others = append(others, openvino.Engine())
		}
		for _, fault := range power {
			GinkgoWriter.Println(fault)
			Expect(fault.Change).To(BeNumerically("<", 0.05), fault.String())
			for _, engine := range others {
				at := func(change float64) compare.Verdict {
					report, err := compare.WithinNoise(
						run(ctx, engine, plant(model, fault, change), inputs).Outputs(), reference.Outputs(),
						measured, compare.NoiseBars{}, compare.Options{})
					Expect(err).NotTo(HaveOccurred())
					return report.Verdict
				}
				Expect(at(fault.Change)).To(Equal(compare.Fail), "%v in %v", fault, engine)
				Expect(at(fault.Change/100)).To(Equal(compare.Pass), "%v in %v", fault, engine)
			}
		}
	})

	DescribeTable("is still found if an output is compared exactly", func(ctx SpecContext,
		outputs ...string) {
		ort.Require(GinkgoT())
		g := onnxtest.Graph{Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{16, 4}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{4, 8}, Raw: weights(32)}},
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"y"}},
				{Op: "ArgMax", In: []string{"y"}, Out: []string{"label"}, Attrs: []onnxtest.Attr{
					{Name: "axis", Int: new(int64(1))}, {Name: "keepdims", Int: new(int64(0))}}}}}
		for _, out := range []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{16, 8}},
			{Name: "label", Elem: 7, Dims: []any{16}}} {
			if slices.Contains(outputs, out.Name) {
				g.Outputs = append(g.Outputs, out)
			}
		}
		model := loaders.ONNXBytes("labels", onnxtest.Model{Graph: g}.Bytes())
		reference := run(ctx, ort.Engine(), model, fixtures.Random(model, fixtures.Seed(3)))
		measured, err := noise.Measure(ctx, reference.Subject())
		Expect(err).NotTo(HaveOccurred())
		power, err := noise.Power(ctx, reference.Subject(), measured, compare.NoiseBars{})
		Expect(err).NotTo(HaveOccurred())
		Expect(power).To(HaveLen(2))
		Expect(power[0].Change).To(BeNumerically("<=", 1), power[0].String())
	},
		Entry("with others", "y", "label"),
		Entry("alone", "label"),
	)

	It("names weights whose changes are invisible", func() {
		Expect(noise.Planted{Constant: "w", Change: math.Inf(1)}.String()).To(Equal(
			"no change up to 100 % of one weight of w"))
		Expect(noise.Planted{Constant: "w", Whole: true, Change: 1}.String()).To(HavePrefix("100 % of "))
		Expect(noise.Planted{Constant: "w", Whole: true, Change: 0.00123}.String()).To(Equal(
			"0.12 % of all weights of w"))
	})
})
