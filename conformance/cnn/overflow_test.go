package cnn_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	formats "github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// overflowing is a small network that overflows only in FP16: between two convolutions its values,
// up to about 30, are multiplied by 4096 and divided again. Values from 16 on exceed FP16's 65504.
// Both factors are powers of two, so nothing else is lost.
func overflowing() cnn.Topology {
	const float, factor, channels = 1, 4096, 8
	random := rand.New(rand.NewPCG(5, 5))
	weights := func(name string, out, in, size int) onnxtest.Tensor {
		values := make([]float32, out*in*size*size)
		for i := range values {
			values[i] = float32(math.Sqrt(2/float64(in*size*size)) * random.NormFloat64())
		}
		return onnxtest.Tensor{Name: name, Type: float, Raw: onnxtest.Float32s(values...),
			Dims: []int64{int64(out), int64(in), int64(size), int64(size)}}
	}
	diagonal := func(name string, value float32) onnxtest.Tensor {
		values := make([]float32, channels*channels)
		for i := range channels {
			values[i*channels+i] = value
		}
		return onnxtest.Tensor{Name: name, Type: float, Raw: onnxtest.Float32s(values...),
			Dims: []int64{channels, channels, 1, 1}}
	}
	conv := func(name, in, weight, out string) onnxtest.Node {
		return onnxtest.Node{Op: "Conv", Name: name, In: []string{in, weight}, Out: []string{out}}
	}
	return cnn.Topology{Name: "overflowing", Sown: true, Data: onnxtest.Model{
		Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				conv("stem", "image", "stem weights", "edges"),
				{Op: "Relu", Name: "relu", In: []string{"edges"}, Out: []string{"features"}},
				conv("up", "features", "up weights", "scaled"),
				conv("down", "scaled", "down weights", "restored"),
				conv("head", "restored", "head weights", "classes"),
			},
			Initializers: []onnxtest.Tensor{weights("stem weights", channels, 3, 3),
				diagonal("up weights", factor), diagonal("down weights", 1.0/factor),
				weights("head weights", 4, channels, 1)},
			Inputs:  []onnxtest.Value{{Name: "image", Elem: float, Dims: []any{1, 3, 16, 16}}},
			Outputs: []onnxtest.Value{{Name: "classes", Elem: float, Dims: []any{1, 4, 14, 14}}},
		}}.Bytes()}
}

var _ = Describe("An overflow of FP16", func() {
	model := loaders.ONNXBytes("overflowing.onnx", overflowing().Data)
	inputs := fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-10, 10))
	right := backends.Subject{Engine: ort.Engine(), Model: model}
	in := func(engine backends.Engine, m *loaders.Model) backends.Subject {
		return backends.Subject{Engine: engine, Model: m, Inputs: inputs}
	}
	// Allow ten times FP16's rounding error.
	rule := norm(1e-2)

	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is located if tensors are stored in FP16", func(ctx SpecContext) {
		stored, err := formats.Round(ctx, in(ort.Engine(), model), formats.FP16)
		Expect(err).NotTo(HaveOccurred())
		report, err := locate.Divergence(ctx, in(ort.Engine(), stored), right, rule)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Fail))
		// The Conv's output "scaled" is cast for storage; the cast overflows first.
		Expect(report.First).To(HaveField("Tensor", "scaled/rounding/float16"), report.Text())
	})

	It("does not occur in bfloat16, which has float32's range", func(ctx SpecContext) {
		stored, err := formats.Round(ctx, in(ort.Engine(), model), formats.BF16)
		Expect(err).NotTo(HaveOccurred())
		report, err := locate.Divergence(ctx, in(ort.Engine(), stored), right, rule)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First).To(BeNil(), report.Text())
	})

	It("is located in TensorRT with forced FP16", Label("gpu"), func(ctx SpecContext) {
		trt.Require(GinkgoT())
		obeyed := []trt.Option{trt.FP16(), trt.PrecisionConstraints(trt.Obey)}
		for _, name := range []string{"stem", "up", "down", "head"} {
			obeyed = append(obeyed, trt.LayerPrecision(name, tensor.Float16))
		}
		report, err := locate.Divergence(ctx, in(inTRT(obeyed...), model), right, rule)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("located", report.Table())
		Expect(report.Verdict).To(Equal(compare.Fail), report.Table())
		Expect(report.First).To(HaveField("Node", "up"), report.Table())
	}, long)

	It("does not occur in TensorRT's float32", Label("gpu"), func(ctx SpecContext) {
		trt.Require(GinkgoT())
		report, err := locate.Divergence(ctx, in(inTRT(), model), right, norm(apart))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.First).To(BeNil(), report.Table())
	}, long)
})

// A batch of eight makes FP16 worthwhile for TensorRT. Without a fault, no tensor may exceed the
// bound for rounding.
var _ = Describe("ResNet-50 in FP16 as chosen by TensorRT", Label("gpu"), func() {
	It("reports the first tensor that differs from float32 by a thousandth", func(ctx SpecContext) {
		trt.Require(GinkgoT())
		ort.Require(GinkgoT())
		network := sown("resnet50")
		Expect(network.Batch(8)).To(Succeed())
		model := upToLogits(network)
		report, err := locate.Divergence(ctx,
			backends.Subject{Engine: inTRT(trt.FP16(), trt.OptimizationLevel(2)), Model: model,
				Inputs: image(model)},
			backends.Subject{Engine: ort.Engine(), Model: model}, norm(1e-3))
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("located", report.Table())
		first := "no tensor is off by more than 0.001"
		if report.First != nil {
			first = fmt.Sprintf("%s, of %s %s: %v", report.First.Tensor, report.First.Op,
				report.First.Node, report.First.Error)
		}
		AddReportEntry("first above 0.001", first)
		compared := 0
		for _, p := range report.Tensors {
			if p.Verdict != "" {
				compared++
				Expect(float64(p.Error)).To(BeNumerically("<", bound(unit16)), report.Table())
			}
		}
		Expect(compared).To(BeNumerically(">", 150), report.Table())
	}, long)
})
