//go:build linux && cgo

package trt_test

import (
	"log/slog"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("a plan file", Label("mock"), func() {
	var path string
	BeforeEach(func() { path = filepath.Join(GinkgoT().TempDir(), "chain.plan") })
	save := func(ctx SpecContext, options ...trt.Option) {
		GinkgoHelper()
		_, err := trt.Run(ctx, chain("one.onnx", 1, 2), x(), on(mock(10, 6),
			append(options, trt.SavePlan(path))...)...)
		Expect(err).NotTo(HaveOccurred())
	}
	plan := func(options ...trt.Option) backends.ModelEngine {
		return trt.Plan(path, on(mock(10, 6), options...)...)
	}

	It("is an engine and declares its inputs", func(ctx SpecContext) {
		save(ctx)
		p := plan()
		Expect(p.Name()).To(Equal("chain.plan"))
		declared, err := p.Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(declared).To(HaveLen(1))
		Expect(declared[0]).To(And(HaveField("Name", "x"), HaveField("Type", tensor.Float32)))
		run, err := p.Run(ctx, fixtures.Random(p, fixtures.Seed(1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Model).To(Equal("chain.plan"))
		Expect(run.Subject().Engine).To(Equal(p))
		Expect(run.Subject().Model).To(Equal(p))
		Expect(run.Subject().Repeatable()).To(Succeed())
		again, err := backends.RunIn(ctx, run.Subject().Engine, run.Subject().Model,
			run.Subject().Inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(values(again, "y")).To(Equal(values(run, "y")))
	})

	It("runs alone, or with the model from which it was built", func(ctx SpecContext) {
		save(ctx)
		run, err := backends.RunIn(ctx, plan(), chain("hundred.onnx", 100, 2), x())
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{2, 3}), "its weights are its own")
		_, err = backends.RunIn(ctx, plan(), expandOf("image"), x())
		Expect(err).To(MatchError(`tensorrt 10.6.2.7: chain.plan: the plan was not built from ` +
			`image.onnx: the plan has an input "x", but the model's inputs are image`))
		_, err = backends.RunIn(ctx, plan(), nil, x())
		Expect(err).To(MatchError(ContainSubstring("no model to run")))
	})

	It("gets the weights of its model if it has none", func(ctx SpecContext) {
		save(ctx, trt.StripPlan())
		_, err := plan().Run(ctx, x())
		Expect(err).To(MatchError(ContainSubstring("the plan was built without weights")))
		run, err := backends.RunIn(ctx, plan(), chain("hundred.onnx", 100, 2), x())
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{101, 102}))
	})

	It("refuses a debug tensor that it lacks", func(ctx SpecContext) {
		save(ctx)
		_, err := plan(trt.Debug("r")).Run(ctx, x())
		Expect(err).To(MatchError(ContainSubstring(`the engine has no debug tensor "r"`)))
	})

	It("is copied where it is to be saved", func(ctx SpecContext) {
		save(ctx)
		other := filepath.Join(GinkgoT().TempDir(), "copy.plan")
		_, err := plan(trt.SavePlan(other)).Run(ctx, x())
		Expect(err).NotTo(HaveOccurred())
		want, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(other)).To(Equal(want))
	})
})

var _ = Describe("the subject of a run", Label("mock"), func() {
	It("is opened again as the engine that ran, from the engine cache", func(ctx SpecContext) {
		text := &log{}
		options := []trt.Option{trt.EngineCache(GinkgoT().TempDir()), trt.FP16()}
		run, err := trt.Run(ctx, chain("c", 1, "n"), x(), on(mock(10, 6), options...)...)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Subject().Engine).To(Equal(trt.Engine(on(mock(10, 6), options...)...)))
		_, err = trt.Run(ctx, chain("c", 1, "n"), run.Subject().Inputs, on(mock(10, 6),
			append(options, trt.Log(text, slog.LevelDebug))...)...)
		Expect(err).NotTo(HaveOccurred())
		Expect(countOf(text.String(), built)).To(BeZero())
	})

})

var _ = Describe("INT8 without words about calibration", Label("mock"), func() {
	It("is calibrated with the inputs of the run", func(ctx SpecContext) {
		text := &log{}
		run, err := trt.Run(ctx, chain("c", 1, 2), x(), on(mock(10, 6), trt.INT8(),
			trt.Log(text, slog.LevelDebug))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(text.String()).To(ContainSubstring("calibration algorithm 2"))
		Expect(run.Provenance.Options).To(HaveKeyWithValue("calibration", HavePrefix("inputs ")))
	})

	It("needs none where the model holds its scales", func(ctx SpecContext) {
		text := &log{}
		run, err := trt.Run(ctx, one("DequantizeLinear", onnxFloat, 2), x(), on(mock(10, 6),
			trt.INT8(), trt.CalibrationCache("scales"), trt.Log(text, slog.LevelDebug))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(text.String()).NotTo(ContainSubstring("calibration algorithm"))
		Expect(run.Provenance.Options).NotTo(HaveKey("calibration"))
	})

	It("needs a cache that is there, or inputs", func(ctx SpecContext) {
		_, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 6), trt.INT8(),
			trt.CalibrationCache("absent"))...)
		Expect(err).To(MatchError(HaveSuffix("or trt.CalibrationCache with an existing file")))
	})
})

var _ = Describe("a precision that is allowed", Label("mock"), func() {
	said := func(ctx SpecContext, key string, options ...trt.Option) string {
		GinkgoHelper()
		run, err := trt.Run(ctx, chain("c", 1, 2), x(), on(mock(10, 12), options...)...)
		Expect(err).NotTo(HaveOccurred())
		return run.Provenance.Options[key]
	}
	It("is said to be used, in how many layers", func(ctx SpecContext) {
		Expect(said(ctx, "fp16", trt.FP16())).To(Equal("used in 3 of 3 layers"))
		Expect(said(ctx, "int8", trt.FP16(), trt.INT8())).To(Equal("used in 3 of 3 layers"))
		Expect(said(ctx, "fp16", trt.FP16(), trt.INT8())).To(
			Equal("not used: none of 3 layers has an input or output of this type"))
	})
	It("is said not to be used", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "precision")
		for key, option := range map[string]trt.Option{"fp16": trt.FP16(), "bf16": trt.BF16(),
			"fp8": trt.FP8(), "int8": trt.INT8()} {
			Expect(said(ctx, key, option)).To(Equal("not used: none of 3 layers has an input or output " +
				"of this type"))
		}
	})
	It("is not known to be used where the engine does not tell", func(ctx SpecContext) {
		Expect(said(ctx, "fp16", trt.FP16(), trt.LayerNamesOnly())).To(Equal(
			"not known to be used: the engine does not report layer types; build it with " +
				"trt.Detailed()"))
		Expect(said(ctx, "tf32", trt.TF32())).To(Equal(
			"not known to be used: no kernel's name contains tf32"))
		setenv("MOCK_TRT_FAIL", "inspector")
		Expect(said(ctx, "fp16", trt.FP16())).To(
			HavePrefix("not known to be used: the engine does not report layer types"))
	})
	It("is what the run was computed in", func(ctx SpecContext) {
		computed := func(options ...trt.Option) string {
			GinkgoHelper()
			run, err := trt.Run(ctx, chain("c", 1, 2), x(), on(mock(10, 12), options...)...)
			Expect(err).NotTo(HaveOccurred())
			return run.Provenance.Computed
		}
		Expect(computed()).To(Equal(backends.Float32))
		Expect(computed(trt.FP16())).To(Equal("fp16 in 3 of 3 layers"))
		Expect(computed(trt.INT8())).To(Equal("int8 in 3 of 3 layers"))
		Expect(computed(trt.FP16(), trt.LayerNamesOnly())).To(BeEmpty())
		Expect(computed(trt.TF32())).To(BeEmpty(), "its kernels may hide it")
		setenv("MOCK_TRT_FAIL", "precision")
		Expect(computed(trt.FP16())).To(Equal(backends.Float32))
	})
	It("has the engine tell its layers, unless the options say how much", func(ctx SpecContext) {
		for line, options := range map[string][]trt.Option{
			"verbosity 2": {trt.FP16()}, "verbosity 0": {},
			"verbosity 1": {trt.FP16(), trt.NoLayers()},
		} {
			Expect(build(ctx, mock(10, 6), options...)).To(ContainSubstring("mock: " + line))
		}
		Expect(said(ctx, "verbosity", trt.FP16())).To(BeEmpty())
	})

	const typed = `{"Layers": [
		{"Name": "in", "LayerType": "Reformat", "Inputs": [{"Format/Datatype": "Float"}],
			"Outputs": [{"Format/Datatype": "Half"}]},
		{"Name": "a", "LayerType": "CaskConvolution", "Inputs": [{"Format/Datatype":
			"Thirty-two wide channel vectorized row major Int8 format"}],
			"Outputs": [{"Format/Datatype": "Row-major linear FP32"}],
			"TacticName": "sm80_xmma_fprop_implicit_gemm_tf32f32"},
		{"Name": "b", "LayerType": "gemm", "Inputs": [{"Format/Datatype": "BFloat16"}],
			"Outputs": [{"Format/Datatype": "BFloat16"}]}]}`
	DescribeTable("is read from the inspector's words",
		func(inspector string, flag string, want string) {
			Expect(trt.Use(inspector, flag)).To(Equal(want))
		},
		Entry("a conversion does not count", typed, "FP16",
			"not used: none of 2 layers has an input or output of this type"),
		Entry("a sentence", typed, "INT8", "used in 1 of 2 layers"),
		Entry("a name", typed, "BF16", "used in 1 of 2 layers"),
		Entry("a kernel", typed, "TF32", "used in at least 1 of 2 layers"),
		Entry("what hides other layers", `{"Layers": [{"LayerType": "Myelin", "Inputs":
			[{"Format/Datatype": "Float"}], "Outputs": []}]}`, "FP16",
			"not known to be used: 1 of 1 layers do not report their types"),
		Entry("a layer without types", `{"Layers": [{"LayerType": "kgen"}]}`, "INT8",
			"not known to be used: 1 of 1 layers do not report their types"),
		Entry("names alone", `{"Layers": ["a", "b"]}`, "FP16", "not known to be used: the engine "+
			"does not report layer types; build it with trt.Detailed()"),
		Entry("nothing", `{}`, "FP16", "not known to be used: the engine does not report layer types; "+
			"build "+
			"it with trt.Detailed()"),
		Entry("no JSON", `x`, "FP16", "not known to be used: the engine does not report layer types; "+
			"build "+
			"it with trt.Detailed()"),
	)
})

// x is the inputs of the chain.
func x() fixtures.Inputs {
	GinkgoHelper()
	return feed(floats([]int{2}, 1, 2))
}
