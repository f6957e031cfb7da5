//go:build linux && cgo

package trt_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// TensorRT 11 has strongly typed networks only, so the options that choose a precision become casts
// in the model. The mock of 11 computes in the types of its network, and refuses mixed operands.
var _ = Describe("precisions in TensorRT 11", Label("mock"), func() {
	// 1/3 + 1 in float32, float16 and bfloat16, with every operand rounded
	const third = float32(1) / 3
	x := func() fixtures.Inputs {
		GinkgoHelper()
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of(third, -1)})
		Expect(err).NotTo(HaveOccurred())
		return fixtures.Of(set)
	}
	run := func(ctx SpecContext, major int, options ...trt.Option) (*backends.Run, string) {
		GinkgoHelper()
		text := &log{}
		folder := mock(11, 1)
		if major == 10 {
			folder = mock(10, 12)
		}
		run, err := trt.Run(ctx, chain("chain.onnx", 1, 2), x(), on(folder,
			append(options, trt.Log(text, slog.LevelDebug))...)...)
		Expect(err).NotTo(HaveOccurred())
		return run, text.String()
	}
	first := func(run *backends.Run, name string) float64 {
		GinkgoHelper()
		t, ok := run.Outputs()[0].Get(name)
		Expect(ok).To(BeTrue())
		Expect(t.ElementType()).To(Equal(tensor.Float32))
		return t.Float64At(0)
	}
	both := func(options ...trt.Option) trt.Option { return trt.Options(options...) }
	exact := float64(third + 1)
	const (
		half  = 1 + 1365.0/4096 - 1.0/4096 // 0.33325195 + 1, rounded to 2⁻¹⁰
		brain = 1.3359375                  // 0.33398438 + 1, rounded to 2⁻⁷
	)

	DescribeTable("are casts", func(ctx SpecContext, option trt.Option, want float64, casts string) {
		got, text := run(ctx, 11, option)
		Expect(first(got, "y")).To(Equal(want))
		Expect(text).NotTo(ContainSubstring("builder flag 0 on"))
		if casts == "" {
			Expect(got.Provenance.Options).NotTo(HaveKey("casts"))
			return
		}
		Expect(got.Provenance.Options).To(HaveKeyWithValue("casts", casts))
		// One spec serves both: 10 takes the same options.
		_, text = run(ctx, 10, option)
		Expect(text).To(Or(ContainSubstring("builder flag"), ContainSubstring("computes in type")))
	},
		Entry("none", both(), exact, ""),
		Entry("FP16", trt.FP16(), half, "float16 in 3 nodes, 2 casts added"),
		Entry("BF16", trt.BF16(), brain, "bfloat16 in 3 nodes, 2 casts added"),
		Entry("FP16 with layers in float32", both(trt.FP16(), trt.PrecisionConstraints(trt.Obey),
			trt.LayerPrecision("add", tensor.Float32), trt.LayerPrecision("l*", tensor.Float32)),
			float64(float32(1365.0/4096+1)),
			"float16 in 1 nodes, 2 casts added; kept in float32: chosen: add, last"),
		Entry("a layer in float16 alone", trt.LayerPrecision("re*", tensor.Float16),
			float64(float32(1365.0/4096+1)),
			"float16 in 1 nodes, 2 casts added; kept in float32: chosen: add, last"),
		Entry("all layers in float32", both(trt.FP16(), trt.LayerPrecision("*", tensor.Float32)), exact,
			"float16 in 0 nodes, 0 casts added; kept in float32: chosen: relu, add, last"),
		Entry("the pattern that matches fewer layers", both(trt.FP16(),
			trt.LayerPrecision("*", tensor.Float32), trt.LayerPrecision("add", tensor.Float16)), half,
			"float16 in 1 nodes, 2 casts added; kept in float32: chosen: relu, last"),
	)

	It("keep shapes and integers, and are told by the layers", func(ctx SpecContext) {
		model := expand()
		shape := tensor.Of[int64](1, 2)
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of(third)},
			tensor.Entry{Name: "s", Tensor: shape})
		Expect(err).NotTo(HaveOccurred())
		got, err := trt.Run(ctx, model, fixtures.Of(set), on(mock(11, 1), trt.FP16())...)
		Expect(err).NotTo(HaveOccurred())
		Expect(first(got, "y")).To(Equal(1365.0 / 4096))
		Expect(got.Provenance.Options).To(HaveKeyWithValue("fp16", HavePrefix("used in ")))
		Expect(got.Provenance.Computed).To(HavePrefix("fp16 in "))
		got, _ = run(ctx, 11, trt.LayerPrecision("relu", tensor.Float16))
		Expect(got.Provenance.Computed).To(HavePrefix("fp16 in "))
		plain, _ := run(ctx, 11)
		Expect(plain.Provenance.Computed).To(Equal(backends.Float32))
		Expect(got.Provenance.ModelSHA256).To(Equal(plain.Provenance.ModelSHA256))
	})

	It("return tensors inside as TensorRT 10 does, in float32", func(ctx SpecContext) {
		marked, _ := run(ctx, 11, trt.FP16(), trt.MarkOnly("r"))
		Expect(first(marked, "r")).To(Equal(1365.0 / 4096))
		debugged, _ := run(ctx, 11, trt.FP16(), trt.Debug("r"))
		Expect(first(debugged, "r")).To(Equal(1365.0 / 4096))
		b, err := trt.New(ctx, chain("chain.onnx", 1, 2), x(), on(mock(11, 1),
			trt.LayerPrecision("relu", tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		inside, err := b.RunWithTensors(ctx, x(), []string{"r"})
		Expect(err).NotTo(HaveOccurred())
		Expect(first(inside, "r")).To(Equal(1365.0 / 4096))
		Expect(first(inside, "y")).To(Equal(float64(float32(1365.0/4096 + 1))))
	})

	It("hold for the weights of a stripped engine", func(ctx SpecContext) {
		got, _ := run(ctx, 11, trt.FP16(), trt.StripPlan())
		Expect(first(got, "y")).To(Equal(half))
	})

	It("are what repair raises, and come from the cache", func(ctx SpecContext) {
		engine := trt.Engine(trt.Library(mock(11, 1)), trt.Driver(mockDriver()), trt.FP16(),
			trt.EngineCache(GinkgoT().TempDir()))
		can := backends.CapabilitiesOf(engine)
		Expect(can.Layers(ctx, chain("chain", 1, 2))).To(HaveExactElements("relu", "add", "last"))
		kept, err := can.Raise([]string{"add", "last"}, tensor.Float32)
		Expect(err).NotTo(HaveOccurred())
		for range 2 {
			got, err := backends.RunIn(ctx, kept, chain("chain.onnx", 1, 2), x())
			Expect(err).NotTo(HaveOccurred())
			Expect(first(got, "y")).To(Equal(float64(float32(1365.0/4096 + 1))))
		}
	})

	It("are the model's own elsewhere, which must agree", func(ctx SpecContext) {
		mixed := loaders.ONNXBytes("mixed.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "Cast", Name: "cast", In: []string{"x"}, Out: []string{"h"}, Attrs: []onnxtest.Attr{
					{Name: "to", Int: new(int64(10))}}},
				{Op: "Add", Name: "add", In: []string{"h", "x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{in("x", onnxFloat, 2)},
			Outputs: []onnxtest.Value{in("y", onnxFloat, 2)},
		}}.Bytes())
		_, err := trt.Run(ctx, mixed, x(), on(mock(11, 1))...)
		Expect(err).To(MatchError(ContainSubstring("operands of different types")))
		_, err = trt.Run(ctx, mixed, x(), on(mock(10, 6))...)
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("that cannot be are an error that names the way",
		func(ctx SpecContext, option trt.Option, want string) {
			_, err := build(ctx, mock(11, 1), option)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("two at once", both(trt.FP16(), trt.BF16()), "use either float16 or bfloat16"),
		Entry("a layer of the other", both(trt.FP16(), trt.LayerPrecision("add", tensor.BFloat16)),
			"use either float16 or bfloat16"),
		Entry("no such layer", both(trt.FP16(), trt.LayerPrecision("conv*", tensor.Float32)),
			`no layer in the network matches "conv*"; the names are relu, add, last`),
		Entry("calibration", both(trt.FP16(), int8), "add QuantizeLinear and DequantizeLinear nodes"),
		Entry("recorded tactics", trt.SaveTactics("tactics.json"),
			"use trt.TimingCache and trt.EditableTimingCache for this model instead"),
	)
})
