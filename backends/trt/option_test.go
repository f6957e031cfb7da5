//go:build linux && cgo

package trt_test

import (
	"iter"
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

// build builds the chain with options, and gives TensorRT's whole log.
func build(ctx SpecContext, folder string, options ...trt.Option) (string, error) {
	text := &log{}
	e, err := trt.New(ctx, chain("chain.onnx", 1, 2), none, on(folder,
		append(options, trt.Log(text, slog.LevelDebug))...)...)
	if err == nil {
		err = e.Close()
	}
	return text.String(), err
}

// int8 is INT8 with a batch to calibrate the chain with.
var int8 = trt.Options(trt.INT8(), trt.Calibrate(fixtures.From("a batch",
	func() iter.Seq2[*tensor.Set, error] {
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2)})
		return func(yield func(*tensor.Set, error) bool) { yield(set, err) }
	})))

var _ = Describe("options", Label("mock"), func() {
	type versions struct{ v10, v11 string }
	DescribeTable("reach TensorRT, by the numbers of its version",
		func(ctx SpecContext, option trt.Option, want versions) {
			for version, line := range map[string]string{mock(10, 12): want.v10, mock(11, 1): want.v11} {
				text, err := build(ctx, version, option)
				Expect(err).NotTo(HaveOccurred())
				Expect(text).To(ContainSubstring(line))
			}
		},
		Entry("TF32", trt.TF32(), versions{"builder flag 6 on", "builder flag 6 on"}),
		Entry("Refittable", trt.Refittable(), versions{"builder flag 4 on", "builder flag 4 on"}),
		Entry("SparseWeights", trt.SparseWeights(),
			versions{"builder flag 7 on", "builder flag 7 on"}),
		Entry("DirectIO", trt.DirectIO(), versions{"builder flag 11 on", "builder flag 11 on"}),
		Entry("VersionCompatible", trt.VersionCompatible(),
			versions{"builder flag 13 on", "builder flag 12 on"}),
		Entry("its plugins", trt.VersionCompatible(),
			versions{"plugins to serialize", "plugins to serialize"}),
		Entry("its code", trt.VersionCompatible(), versions{"host code 1", "host code 1"}),
		Entry("ExcludeLeanRuntime", trt.Options(trt.VersionCompatible(), trt.ExcludeLeanRuntime()),
			versions{"builder flag 14 on", "builder flag 13 on"}),
		Entry("ErrorOnTimingCacheMiss", trt.ErrorOnTimingCacheMiss(),
			versions{"builder flag 16 on", "builder flag 15 on"}),
		Entry("DisableCompilationCache", trt.DisableCompilationCache(),
			versions{"builder flag 18 on", "builder flag 17 on"}),
		Entry("StripPlan", trt.StripPlan(), versions{"builder flag 19 on", "builder flag 18 on"}),
		Entry("its refit", trt.StripPlan(), versions{"builder flag 4 on", "builder flag 4 on"}),
		Entry("WeightStreaming", trt.WeightStreaming(),
			versions{"builder flag 21 on", "builder flag 20 on"}),
		Entry("GPUFallback", trt.GPUFallback(), versions{"builder flag 3 on", "builder flag 3 on"}),
		Entry("a flag", trt.StrictNaNs(),
			versions{"builder flag 24 on", "builder flag 23 on"}),
		Entry("StronglyTyped", trt.StronglyTyped(), versions{"network flags 2", "network flags 0"}),
		Entry("PoolLimit", trt.PoolLimit("workspace", 1<<20),
			versions{"memory pool 0 of 1048576", "memory pool 0 of 1048576"}),
		Entry("OptimizationLevel", trt.OptimizationLevel(5), versions{"level 5", "level 5"}),
		Entry("AmperePlus", trt.AmperePlus(),
			versions{"hardware 1", "hardware 1"}),
		Entry("Capability", trt.DLAStandalone(), versions{"capability 2", "capability 2"}),
		Entry("Platform", trt.ForWindows(), versions{"platform 1", "platform 1"}),
		Entry("TilingLevel", trt.TilingFull(), versions{"tiling 3", "tiling 3"}),
		Entry("TacticSources", trt.TacticSources("jit_convolutions", "EDGE_MASK_CONVOLUTIONS"),
			versions{"tactic sources 24", "tactic sources 3"}),
		Entry("no tactic sources", trt.TacticSources(), versions{"tactic sources 0", "tactic sources 0"}),
		Entry("AuxStreams", trt.AuxStreams(2), versions{"aux streams 2", "aux streams 2"}),
		Entry("Preview", trt.AliasedPluginIO1003(),
			versions{"preview feature 1 1", "preview feature 0 1"}),
		Entry("ProfilingVerbosity", trt.Detailed(),
			versions{"verbosity 2", "verbosity 2"}),
		Entry("PluginInstanceNorm", trt.PluginInstanceNorm(),
			versions{"parser flag 0 off", "parser flag 0 off"}),
		Entry("ParserFlags", trt.PluginOverride(),
			versions{"parser flag 3", "parser flag 3"}),
	)

	It("leave TF32 off", func(ctx SpecContext) {
		text, err := build(ctx, mock(10, 6))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).NotTo(ContainSubstring("builder flag 6 on"))
	})

	DescribeTable("that only TensorRT 10 has reach it, and are an error on 11 that names what to do",
		func(ctx SpecContext, option trt.Option, line, want string) {
			text, err := build(ctx, mock(10, 6), option)
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(ContainSubstring(line))
			_, err = build(ctx, mock(11, 1), option)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("FP8", trt.FP8(), "builder flag 15 on", "add QuantizeLinear and DequantizeLinear nodes"),
		Entry("INT8", int8, "builder flag 1 on", "add QuantizeLinear and DequantizeLinear nodes"),
		Entry("LayerPrecision in int8", trt.LayerPrecision("re*", tensor.Int8),
			"relu computes in type 2", `layer "relu" in int8: TensorRT 11 takes all types from the `+
				"model: add QuantizeLinear and DequantizeLinear nodes to the model"),
		Entry("TensorType", trt.TensorType("y", tensor.Float16), "tensor y has type 1",
			"has no Tensor.setType: TensorRT 11 removed it"),
		Entry("CUBLAS", trt.TacticSources("cublas"), "tactic sources 1",
			"has no tactic source CUBLAS: TensorRT 11 removed it; TensorRT now has its own kernels instead"),
		Entry("QuantizationFlags", trt.CalibrateBeforeFusion(),
			"quantization 1", "has no BuilderConfig.setQuantizationFlags"),
	)

	DescribeTable("that came later are an error before",
		func(ctx SpecContext, option trt.Option, want string) {
			_, err := build(ctx, mock(10, 3), option)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("a method", trt.TilingFast(), "TensorRT 10.3.2.7 has no "+
			"BuilderConfig.setTilingOptimizationLevel: it was added in 10.9"),
		Entry("a flag", trt.StrictNaNs(),
			"TensorRT 10.3.2.7 has no builder flag STRICT_NANS: it was added in 10."),
		Entry("a feature", trt.RuntimeActivationResize1010(),
			"has no preview feature RUNTIME_ACTIVATION_RESIZE_10_10: it was added in 10.10"),
		Entry("attentions", trt.DecomposableAttentions(),
			"has no AttentionBoundaryLayer.getAttention: it was added in 10.14"),
		Entry("unfused debug tensors", trt.DebugUnfused(),
			"has no NetworkDefinition.markUnfusedTensorsAsDebugTensors: it was added in 10.12"),
	)

	DescribeTable("that are wrong are an error before anything is opened",
		func(ctx SpecContext, option trt.Option, want string) {
			_, err := trt.New(ctx, chain("c", 1, 1), none, option, trt.Driver("/nowhere"))
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry(nil, trt.PoolLimit("heap", 1), `unknown memory pool "HEAP"`),
		Entry(nil, trt.PoolLimit("workspace", -1), "the limit must be 0 bytes or more, got -1"),
		Entry(nil, trt.OptimizationLevel(6), "unknown optimization level 6; the levels are 0 to 5"),
		Entry(nil, trt.AuxStreams(-1), "the number of streams must be 0 or more, got -1"),
		Entry(nil, trt.WarmUp(-1), "the number of runs must be 0 or more, got -1"),
		Entry(nil, trt.LayerPrecision("x", tensor.Float64), "TensorRT has no element type float64"),
		Entry(nil, trt.PrecisionConstraints("maybe"), `"MAYBE"; it must be one of OBEY, PREFER`),
		Entry(nil, trt.WeightStreamingPercent(101), "the percentage must be 0 to 100, got 101"),
		Entry(nil, trt.MarkTypes("conv"), `unknown layer type "CONV"`),
		Entry(nil, trt.INT8(), "INT8 needs scales, but the model has no QuantizeLinear or "+
			"DequantizeLinear nodes and there are no calibration inputs; set "+
			"trt.Calibrate, or trt.CalibrationCache with an existing file"),
		Entry(nil, trt.MinMaxCalibration(), "calibration is for INT8: add trt.INT8()"),
		Entry(nil, trt.LegacyCalibration(0.5, 2),
			"the quantile and the regression cutoff must be 0 to 1, got 0.5 and 2"),
		Entry(nil, trt.Profile(trt.Range("x", []int{1}, []int{1, 2}, []int{1})),
			`input "x": min [1], opt [1 2] and max [1] must have equally many dimensions`),
		Entry(nil, trt.Profile(trt.Range("x", []int{2}, []int{1}, []int{3})), "none may decrease "+
			"from min to max"),
	)

	DescribeTable("that the model or the machine does not fit are an error",
		func(ctx SpecContext, option trt.Option, want string) {
			_, err := build(ctx, mock(10, 6), option)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("no such layer", trt.LayerPrecision("conv*", tensor.Float16),
			`no layer in the network matches "conv*"; the names are relu, add, last`),
		Entry("no such tensor", trt.TensorType("z", tensor.Float16),
			`no input or output in the network matches "z"; the names are x, y`),
		Entry("a mark", trt.MarkOnly("z"),
			`no tensor in the network matches "z"; the names are r, s, y`),
		Entry("an exclusion", trt.Unmark("z"), `no output in the network matches "z"; the names are y`),
		Entry("no output left", trt.Unmark("*"), "the exclusions leave no outputs; there were y"),
		Entry("a flag that does not stick", trt.Flag("DISTRIBUTIVE_INDEPENDENCE"),
			"has no builder flag DISTRIBUTIVE_INDEPENDENCE"),
		Entry("strongly typed and weakly", trt.Options(trt.StronglyTyped(), trt.FP16()),
			"StronglyTyped and FP16 cannot be combined"),
		Entry("no DLA", trt.DLA(0), "this machine has 0 deep learning accelerators"),
		Entry("no lean runtime to exclude", trt.ExcludeLeanRuntime(),
			"ExcludeLeanRuntime needs VersionCompatible"),
		Entry("no plugins", trt.Plugins("/nowhere/plugins.so"), "plugins from /nowhere/plugins.so"),
		Entry("a budget without streaming", trt.WeightStreamingBudget(5),
			"a weight streaming budget needs streamable weights"),
	)

	It("set a precision where a layer computes floats", func(ctx SpecContext) {
		text := &log{}
		_, err := trt.New(ctx, nonZero(), none, on(mock(10, 6), trt.Log(text, slog.LevelDebug),
			trt.LayerPrecision("*", tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(text.String()).To(ContainSubstring("relu computes in type 1"))
		Expect(text.String()).NotTo(ContainSubstring("find computes"))
		_, err = trt.New(ctx, nonZero(), none, on(mock(10, 6), trt.Log(text, slog.LevelDebug),
			trt.LayerPrecision("find", tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(text.String()).To(ContainSubstring("find computes in type 1"))
		_, err = trt.New(ctx, nonZero(), none,
			on(mock(10, 6), trt.LayerPrecision("f*", tensor.Float16))...)
		Expect(err).To(MatchError(ContainSubstring(`no layer that matches "f*" computes floats`)))
	})

	It("keep float32 in nodes that they are told to keep, and in no others", func(ctx SpecContext) {
		text := &log{}
		engine := trt.Engine(on(mock(10, 6), trt.FP16(), trt.Log(text, slog.LevelDebug))...)
		raise := backends.CapabilitiesOf(engine).Raise
		kept, err := raise([]string{"relu"}, tensor.Float32)
		Expect(err).NotTo(HaveOccurred())
		Expect(kept.GoString()).To(ContainSubstring(`trt.LayerPrecision("relu", tensor.Float32)`))
		backend, err := kept.Open(ctx, nonZero(), none)
		Expect(err).NotTo(HaveOccurred())
		Expect(backend.Close()).To(Succeed())
		Expect(text.String()).To(And(ContainSubstring("relu computes in type 0"),
			Not(ContainSubstring("find computes")), ContainSubstring("builder flag 0 on")))
		Expect(raise(nil, tensor.Float32)).To(Equal(engine))
		odd, err := raise([]string{"block[0]/conv*"}, tensor.Float32)
		Expect(err).NotTo(HaveOccurred())
		Expect(odd.GoString()).To(ContainSubstring(`trt.LayerPrecision("block[[]0]/conv[*]", `))
	})

	It("tell the layers of a network, and write one whose layers are raised", func(ctx SpecContext) {
		text := &log{}
		engine := trt.Engine(on(mock(10, 6), trt.FP16(), trt.Log(text, slog.LevelDebug))...)
		layered := backends.CapabilitiesOf(engine)
		Expect(layered.Layers(ctx, chain("chain", 1, 2))).To(HaveExactElements("relu", "add", "last"))
		Expect(layered.Layers(ctx, nonZero())).To(ContainElement(""))
		raised, err := layered.Raise([]string{"add"}, tensor.Float16)
		Expect(err).NotTo(HaveOccurred())
		file := filepath.Join(GinkgoT().TempDir(), "net.plan")
		backend, err := backends.CapabilitiesOf(raised).Save(file).Open(ctx, chain("chain", 1, 2),
			none)
		Expect(err).NotTo(HaveOccurred())
		Expect(backend.Close()).To(Succeed())
		Expect(file).To(BeARegularFile())
		Expect(text.String()).To(And(ContainSubstring("layer add computes in type 1"),
			Not(ContainSubstring("layer relu computes"))))

		plain := backends.CapabilitiesOf(trt.Engine(on(mock(10, 6))...))
		_, err = plain.Layers(ctx, chain("chain", 1, 2))
		Expect(err).To(MatchError(ContainSubstring("allow a lower precision")))
		_, err = plain.Raise([]string{"add"}, tensor.Float16)
		Expect(err).To(MatchError(ContainSubstring("does not allow float16")))
		_, err = layered.Layers(ctx, straight("Foo"))
		Expect(err).To(MatchError(ContainSubstring("no importer for the operator")))
	})

	It("show that a builder flag did not stick", func(ctx SpecContext) {
		_, err := build(ctx, mock(10, 12), trt.Flag("DISTRIBUTIVE_INDEPENDENCE"))
		Expect(err).To(MatchError(ContainSubstring("TensorRT 10.12.2.7 rejects builder flag 28")))
	})

	It("move layers to a DLA, and the rest to the GPU where that is allowed", func(ctx SpecContext) {
		setenv("MOCK_TRT_DLA", "2")
		text, err := build(ctx, mock(10, 6), trt.DLA(1), trt.GPUFallback())
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(And(ContainSubstring("DLA core 1"), ContainSubstring("default device 1"),
			ContainSubstring("builder flag 10 on"), Not(ContainSubstring("builder flag 11 on"))))
		text, err = build(ctx, mock(10, 6), trt.DLA(1), trt.PrecisionConstraints("obey"))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(And(Not(ContainSubstring("builder flag 10 on")),
			ContainSubstring("builder flag 11 on")))
		text, err = build(ctx, mock(11, 1), trt.DLA(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).NotTo(ContainSubstring("builder flag 11 on"))
		_, err = build(ctx, mock(10, 6), trt.DLA(2))
		Expect(err).To(MatchError(ContainSubstring("DLA: there is no core 2; this machine has 2 deep ")))
	})

	It("stream weights within a budget", func(ctx SpecContext) {
		for _, c := range []struct {
			option trt.Option
			line   string
		}{
			{trt.WeightStreamingBudget(300), "weight streaming budget 300"},
			{trt.WeightStreamingPercent(20), "weight streaming budget 200"},
			{trt.WeightStreamingBudget(-1), "weight streaming budget 500"},
		} {
			text, err := build(ctx, mock(10, 6), trt.WeightStreaming(), trt.StronglyTyped(), c.option)
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(ContainSubstring(c.line))
		}
	})

	It("load plugins for building and for running", func(ctx SpecContext) {
		plugin := filepath.Join(GinkgoT().TempDir(), "plugin.so")
		Expect(os.WriteFile(plugin, []byte("code"), 0o644)).To(Succeed())
		text, err := build(ctx, mock(10, 6), trt.Plugins(plugin))
		Expect(err).NotTo(HaveOccurred())
		Expect(countOf(text, "plugins loaded")).To(Equal(2))
	})

	It("read and write a timing cache, and refuse one of another version", func(ctx SpecContext) {
		path := filepath.Join(GinkgoT().TempDir(), "timing")
		for range 2 {
			_, err := build(ctx, mock(10, 6), trt.TimingCache(path))
			Expect(err).NotTo(HaveOccurred())
			Expect(os.ReadFile(path)).To(Equal([]byte("timing of 10.6\x00")))
		}
		_, err := build(ctx, mock(10, 12), trt.TimingCache(path))
		Expect(err).To(MatchError(ContainSubstring("timing cache timing: TensorRT 10.12.2.7 rejects " +
			"the timing cache: it is from a different version or GPU")))
		Expect(os.ReadFile(path)).To(Equal([]byte("timing of 10.6\x00")))
	})

	It("let attentions be computed by several kernels", func(ctx SpecContext) {
		model := one("Attention", onnxFloat, 2)
		for _, version := range []string{mock(10, 14), mock(11, 1)} {
			text := &log{}
			e, err := trt.New(ctx, model, none, on(version, trt.Log(text, slog.LevelDebug),
				trt.DecomposableAttentions())...)
			Expect(err).NotTo(HaveOccurred())
			Expect(e.Close()).To(Succeed())
			Expect(text.String()).To(ContainSubstring("attention node decomposable 1"))
			_, err = build(ctx, version, trt.DecomposableAttentions()) // none to decompose
			Expect(err).NotTo(HaveOccurred())
		}
		setenv("MOCK_TRT_FAIL", "attention")
		_, err := trt.New(ctx, model, none, on(mock(10, 14), trt.DecomposableAttentions())...)
		Expect(err).To(MatchError(
			ContainSubstring(`layer "node": TensorRT 10.14.2.7 cannot decompose the attention`)))
	})

	It("read one timing cache and write another", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
		_, err := build(ctx, mock(10, 6), trt.LoadTimingCache(from))
		Expect(err).To(MatchError(And(ContainSubstring("timing cache: open"),
			ContainSubstring("no such file or directory; to create the file, use trt.TimingCache"))))
		_, err = build(ctx, mock(10, 6), trt.SaveTimingCache(from))
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(from)).To(Equal([]byte("timing of 10.6\x00")))
		text, err := build(ctx, mock(10, 6), trt.LoadTimingCache(from), trt.SaveTimingCache(to))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).NotTo(ContainSubstring("timing caches combined"))
		Expect(os.WriteFile(from, []byte("timing of 10.6\x00and more"), 0o600)).To(Succeed())
		text, err = build(ctx, mock(10, 6), trt.LoadTimingCache(from), trt.SaveTimingCache(to))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("timing caches combined"))
		Expect(os.ReadFile(from)).To(HaveSuffix("and more"))
		Expect(os.WriteFile(to, []byte("timing of 9.3"), 0o600)).To(Succeed())
		_, err = build(ctx, mock(10, 6), trt.SaveTimingCache(to))
		Expect(err).To(MatchError(ContainSubstring("timing cache to: TensorRT 10.6.2.7 rejects")))
		Expect(os.ReadFile(to)).To(Equal([]byte("timing of 9.3")))
	})

	It("set a type or a layout of every input and output that has none", func(ctx SpecContext) {
		text, err := build(ctx, mock(10, 6), trt.TensorType("*", tensor.Float16),
			trt.TensorType("y", tensor.Int8), trt.TensorFormats("*", "chw4"))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(And(ContainSubstring("tensor x has type 1"),
			ContainSubstring("tensor y has type 2"), ContainSubstring("tensor x allows formats 8"),
			ContainSubstring("tensor y allows formats 8")))
	})

	It("are in the provenance, without paths", func(ctx SpecContext) {
		path := filepath.Join(GinkgoT().TempDir(), "timing")
		run, err := trt.Run(ctx, chain("chain.onnx", 1, 1), feed(floats([]int{1}, 1)), on(mock(10, 6),
			trt.FP16(), trt.TimingCache(path), trt.OptimizationLevel(2),
			trt.LayerPrecision("relu", tensor.Float32), trt.MarkOnly("r"))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Model).To(Equal("chain.onnx"))
		Expect(run.Provenance.Options).To(Equal(map[string]string{
			"cuda driver": "13.0", "compute capability": "9.0", "level": "2",
			"fp16":        "used in 3 of 3 layers",
			"layer types": `{"relu":"float32"}`, "marks": `{"only":["r"]}`,
		}))
	})
})
