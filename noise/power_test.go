package noise_test

import (
	"context"
	"math"
	"slices"
	"strings"

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
	"github.com/modelparity/modelparity/precision"
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
		power, err := noise.Power(ctx, reference.Subject(), measured, compare.Bars{})
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
						measured, compare.Bars{}, compare.Options{})
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
		power, err := noise.Power(ctx, reference.Subject(), measured, compare.Bars{})
		Expect(err).NotTo(HaveOccurred())
		Expect(power).To(HaveLen(2))
		Expect(power[0].Change).To(BeNumerically("<=", 1), power[0].String())
	},
		Entry("with others", "y", "label"),
		Entry("alone", "label"),
	)

	DescribeTable("reaches weights that a product reads", func(ctx SpecContext, op string, elem int32,
		in []string, whole noise.Planted) {
		ort.Require(GinkgoT())
		w := onnxtest.Tensor{Name: "w", Type: elem, Dims: []int64{8, 8}, Raw: weights(64)}
		if elem == 3 {
			for i := range 64 {
				w.Raw[i] = byte(i*37%200 - 100)
			}
			w.Raw = w.Raw[:64]
		}
		g := onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{16, 8}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{16, 8}}},
			Initializers: []onnxtest.Tensor{w, {Name: "s", Type: 1, Raw: weights(3)[8:]},
				{Name: "zero", Type: 3, Raw: []byte{0}}},
			Nodes: []onnxtest.Node{{Op: op, In: in, Out: []string{"v"}},
				{Op: "MatMul", In: []string{"x", "v"}, Out: []string{"y"}}}}
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: g}.Bytes())
		reference := run(ctx, ort.Engine(), model, fixtures.Random(model, fixtures.Seed(3)))
		measured, err := noise.Measure(ctx, reference.Subject())
		Expect(err).NotTo(HaveOccurred())
		power, err := noise.Power(ctx, reference.Subject(), measured, compare.Bars{})
		Expect(err).NotTo(HaveOccurred())
		Expect(power).NotTo(BeEmpty())
		last := power[len(power)-1]
		Expect(last.Change).To(BeNumerically("<", 0.01), last.String())
		kept, err := noise.Measured(reference, noise.CacheIn(GinkgoT().TempDir()))
		Expect(err).NotTo(HaveOccurred())
		of, err := noise.Between(nil, kept)
		Expect(err).NotTo(HaveOccurred())
		Expect(of.Kept()).To(BeTrue())
		Expect(of.Text(compare.Bars{})).To(ContainSubstring(last.String()))
		last.Change = 0
		Expect(last).To(Equal(whole))
	},
		Entry("through a Transpose", "Transpose", int32(1), []string{"w"},
			noise.Planted{Constant: "w", Whole: true}),
		Entry("by the scale of a DequantizeLinear", "DequantizeLinear", int32(3),
			[]string{"w", "s", "zero"}, noise.Planted{Constant: "s", Whole: true, Scale: true}),
	)

	It("is unknown, with the reason, if no error would prove a fault", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		g := onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{16, 8}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{16, 8}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{8, 8}, Raw: weights(64)},
				{Name: "s", Type: 1, Raw: onnxtest.Float32s(0.02)}, {Name: "zero", Type: 3, Raw: []byte{0}}},
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"v"}},
				{Op: "QuantizeLinear", In: []string{"v", "s", "zero"}, Out: []string{"q"}},
				{Op: "DequantizeLinear", In: []string{"q", "s", "zero"}, Out: []string{"y"}}}}
		model := loaders.ONNXBytes("m", onnxtest.Model{Graph: g}.Bytes())
		reference := run(ctx, ort.Engine(), model, fixtures.Random(model, fixtures.Seed(3)))
		measured, err := noise.Measure(ctx, reference.Subject())
		Expect(err).NotTo(HaveOccurred())
		_, err = noise.Power(ctx, reference.Subject(), measured, compare.Bars{})
		Expect(err).To(MatchError("noise: power: the model contains quantisers (1 QuantizeLinear), so " +
			"even an error beyond the noise does not prove a fault: use the model before quantisation"))
	})

	It("is not stored as unknown if the search is interrupted", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model, inputs := digits()
		reference, folder := run(ctx, ort.Engine(), model, inputs), noise.CacheIn(GinkgoT().TempDir())
		_, err := noise.Of(reference, folder)
		Expect(err).NotTo(HaveOccurred())
		ended, interrupt := context.WithCancel(ctx)
		interrupt()
		_, err = noise.Measured(reference.Under(ended), folder)
		Expect(err).To(MatchError(context.Canceled))
	})

	It("is an error without weights, which names functions that were not looked into",
		func(ctx SpecContext) {
			ort.Require(GinkgoT())
			model := loaders.ONNXBytes("m", onnxtest.InFunction().Bytes())
			reference := run(ctx, ort.Engine(), model, fixtures.Random(model))
			of, err := noise.Between(nil, reference, noise.CacheIn(GinkgoT().TempDir()))
			Expect(err).NotTo(HaveOccurred())
			const why = "no node of the model multiplies by weights; nodes in the model's own functions " +
				"are not examined: inline the functions first (onnx.inliner.inline_local_functions in Python)"
			Expect(of.Text(compare.Bars{})).To(HaveSuffix(
				"cannot tell which faults this comparison would catch: noise: power: " + why))
			proposal, err := noise.Propose(ctx, reference, compare.Bars{}, nil,
				noise.CacheIn(GinkgoT().TempDir()))
			Expect(err).NotTo(HaveOccurred())
			Expect(proposal.Text()).To(ContainSubstring("unknown: " + why))
			_, err = precision.TwinOf(ctx, reference.Subject())
			_, hint, _ := strings.Cut(why, "; ")
			Expect(err).To(MatchError(HaveSuffix("no MatMul, Conv, ConvTranspose or Gemm with alpha " +
				"and beta 1 has float32 weights; dequantised weights, bodies of If, Loop and Scan, and " +
				"functions do not count; " + hint)))
			find := precision.Repair{Format: precision.INT4}
			_, err = find.Quantizers(ctx, reference.Subject())
			Expect(err).To(MatchError(And(ContainSubstring("has no MatMul or Gemm"), HaveSuffix(hint))))
		})

	It("names weights whose changes are invisible", func() {
		Expect(noise.Planted{Constant: "w", Change: math.Inf(1)}.String()).To(Equal(
			"even a change of 100 % of one weight of w may be missed"))
		Expect(noise.Planted{Constant: "w", Whole: true, Change: 1}.String()).To(HavePrefix("100 % of "))
		Expect(noise.Planted{Constant: "w", Whole: true, Change: 0.00123}.String()).To(Equal(
			"0.12 % of all weights of w"))
		Expect(noise.Planted{Constant: "s", Whole: true, Scale: true, Change: 0.01}.String()).To(Equal(
			"1 % of the scale s"))
	})
})
