//go:build linux && cgo

package trt_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// located compares every tensor of a model, and each node alone, and puts the table in the spec's
// report.
func located(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs, check compare.Check,
	options ...trt.Option) *locate.Finding {
	GinkgoHelper()
	report, err := locate.Divergence(ctx,
		backends.Subject{Engine: trt.Engine(onGPU(options...)...), Model: model, Inputs: inputs},
		backends.Subject{Engine: ort.Engine(), Model: model}, locate.Options{Isolate: true,
			Compare: compare.Options{Checks: []compare.Check{check}}})
	Expect(err).NotTo(HaveOccurred())
	AddReportEntry("tensors", report.Table())
	for _, p := range report.Tensors {
		Expect(p.Verdict).NotTo(BeEmpty(), "%s was left out: %v", p.Tensor, report.Notes)
		Expect(p.Own).NotTo(BeNil(), "%s was not run alone: %v", p.Tensor, report.Notes)
	}
	return report
}

var halves = []trt.Option{trt.FP16(), trt.PrecisionConstraints("obey"),
	trt.LayerPrecision("*", tensor.Float16)}

var _ = Describe("locating on a GPU", Label("gpu"), func() {
	BeforeEach(needBoth)

	DescribeTable("compares every tensor and finds nothing in float32",
		func(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs) {
			report := located(ctx, model, inputs, compare.Within(1e-4, 1e-4, compare.Elementwise))
			Expect(report.First).To(BeNil())
			Expect(report.Isolated).To(BeNil())
			Expect(report.Verdict).To(Equal(compare.Pass))
			Expect(report.MarkedVerdict).To(Equal(compare.Pass))
		},
		Entry("digits", long, digits, images),
		Entry("the encoder, whose shapes are computed", long, encoder, fixtures.Random(encoder,
			fixtures.Shape("tokens", 2, 16), fixtures.ValRange(0, 63))),
	)

	// Rounding to ten bits of mantissa moves a tensor by about 2e-4 of its norm; float32 by 1e-7.
	const half = 1e-5

	It("names the first node where every one has to compute in FP16", long, func(ctx SpecContext) {
		report := located(ctx, digits, images, compare.NormRelative(half), halves...)
		Expect(report.First).NotTo(BeNil())
		Expect(report.First.Tensor).To(Equal("conv1"))
		Expect(report.Isolated).NotTo(BeNil())
		Expect(report.Isolated.Tensor).To(Equal("conv1"))
		Expect(report.Cause).To(ContainSubstring("the node alone is out of tolerance"))
	})

	It("names where TensorRT chose FP16 by itself", long, func(ctx SpecContext) {
		model, inputs := convolutions()
		report := located(ctx, model, inputs, compare.NormRelative(half), trt.FP16(),
			trt.OptimizationLevel(2))
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.First).NotTo(BeNil())
		Expect(float64(report.First.Error)).To(And(BeNumerically(">", 1e-4), BeNumerically("<", 0.01)))
		for _, p := range report.Tensors[:report.First.Index] {
			Expect(float64(p.Error)).To(BeNumerically("<", 1e-6), "%s is not float32", p.Tensor)
		}
		// TensorRT may choose FP16 later in an engine that also returns inner tensors. The report
		// must then say that it read the tensors from other engines.
		if report.First.Index > 1 {
			Expect(report.Notes).To(ContainElement(ContainSubstring(
				"were read from engines whose outputs are not bit-identical")))
		}
	})

	It("names the node that overflows in FP16", long, func(ctx SpecContext) {
		model, inputs := overflow()
		report := located(ctx, model, inputs, compare.NormRelative(0.01), trt.FP16(),
			trt.PrecisionConstraints("obey"), trt.LayerPrecision("grow", tensor.Float16),
			trt.LayerPrecision("shrink", tensor.Float16))
		Expect(report.First).NotTo(BeNil())
		Expect(report.First.Node).To(Equal("grow"))
		Expect(report.Isolated).NotTo(BeNil())
		Expect(report.Isolated.Node).To(Equal("grow"))
	})
})

var encoder = loaders.ONNX("../../example_test/dynamic/testdata/encoder.onnx")

// convolutions is four of them, with 64 channels each: for a GPU with tensor cores FP16 is several
// times as fast there.
func convolutions() (*loaders.Model, fixtures.Inputs) {
	random := rand.New(rand.NewPCG(3, 4))
	g := onnxtest.Graph{Inputs: []onnxtest.Value{in("x", onnxFloat, 8, 64, 56, 56)},
		Outputs: []onnxtest.Value{in("r3", onnxFloat, 8, 64, 56, 56)}}
	before := "x"
	for i := range 4 {
		w, c, r := fmt.Sprint("w", i), fmt.Sprint("c", i), fmt.Sprint("r", i)
		g.Nodes = append(g.Nodes,
			onnxtest.Node{Op: "Conv", Name: "conv" + w[1:], In: []string{before, w}, Out: []string{c},
				Attrs: []onnxtest.Attr{{Name: "pads", Ints: []int64{1, 1, 1, 1}}}},
			onnxtest.Node{Op: "Relu", Name: "relu" + w[1:], In: []string{c}, Out: []string{r}})
		values := make([]float32, 64*64*3*3)
		for k := range values {
			values[k] = float32(random.NormFloat64() / 17) // 1/sqrt(64*9/2): the scale is kept
		}
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: w, Type: onnxFloat,
			Dims: []int64{64, 64, 3, 3}, Raw: onnxtest.Float32s(values...)})
		before = r
	}
	model := loaders.ONNXBytes("convolutions.onnx", onnxtest.Model{Graph: g}.Bytes())
	return model, fixtures.Random(model, fixtures.Seed(1))
}

// overflow multiplies values of about 130 by 1000, which float16 cannot hold, and back.
func overflow() (*loaders.Model, fixtures.Inputs) {
	const width = 64
	positive := []float32(nil)
	for i := range width * width {
		positive = append(positive, 3+float32(i%7)/3)
	}
	scalar := func(name string, value float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: onnxFloat, Dims: []int64{1},
			Raw: onnxtest.Float32s(value)}
	}
	node := func(op, name, output string, inputs ...string) onnxtest.Node {
		return onnxtest.Node{Op: op, Name: name, In: inputs, Out: []string{output}}
	}
	model := loaders.ONNXBytes("overflow.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			node("MatMul", "first", "m", "x", "w"), node("Relu", "relu", "r", "m"),
			node("Mul", "grow", "big", "r", "thousand"),
			node("Mul", "shrink", "small", "big", "thousandth"),
			node("MatMul", "last", "y", "small", "w")},
		Initializers: []onnxtest.Tensor{scalar("thousand", 1000), scalar("thousandth", 0.001),
			{Name: "w", Type: onnxFloat, Dims: []int64{width, width},
				Raw: onnxtest.Float32s(positive...)}},
		Inputs:  []onnxtest.Value{in("x", onnxFloat, 8, width)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, 8, width)},
	}}.Bytes())
	return model, fixtures.Random(model, fixtures.Seed(1))
}
