package trt_test

import (
	"io"
	"log/slog"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestEveryOptionPrintsItselfAsGo(t *testing.T) {
	skips.Long(t)
	engines := []enginetest.Engine{
		trt.Engine(),
		trt.Engine(trt.FP16(), trt.BF16(), trt.FP8(), trt.TF32(),
			trt.PrecisionConstraints(trt.Prefer), trt.LayerPrecision("conv*", tensor.Float16),
			trt.TensorType("*", tensor.Float8E4M3FN), trt.StrictNaNs()),
		trt.Engine(trt.StronglyTyped(), trt.WeightStreaming(), trt.WeightStreamingBudget(-1),
			trt.Streams(2)),
		trt.Engine(trt.WeightStreamingPercent(12.5)),
		trt.Engine(trt.INT8(), trt.CalibrationCache("scales"),
			trt.MinMaxCalibration(), trt.CalibrateBeforeFusion()),
		trt.Engine(trt.INT8(), trt.LegacyCalibration(0.25, 1)),
		trt.Engine(trt.INT8(), trt.Calibrate(fixtures.Inputs{}), trt.Log(io.Discard, slog.LevelInfo)),
		trt.Engine(trt.Profile(trt.Range("x", []int{1}, []int{2}, []int{3}),
			trt.Values("s", []int64{0, 1}, []int64{2, 3}, []int64{4, 5})),
			trt.Profile(trt.Range("scalar", nil, nil, nil)), trt.ProfileIndex(1)),
		trt.Engine(trt.MarkAll(), trt.MarkOnly("y", "r", "[st]"),
			trt.MarkTypes("convolution", "SOFTMAX"), trt.Unmark("u"), trt.Debug("d"), trt.DebugUnfused()),
		trt.Engine(trt.TensorFormats("x", trt.HWC8, trt.CHW4), trt.TensorFormats("*")),
		trt.Engine(trt.PoolLimit(trt.Workspace, 1<<30), trt.OptimizationLevel(5),
			trt.TilingFull(), trt.TacticSources(trt.JITConvolutions, trt.CUBLAS),
			trt.SaveTactics("tactics.json"), trt.TimingCache("timings"),
			trt.ErrorOnTimingCacheMiss(), trt.DisableCompilationCache()),
		trt.Engine(trt.TacticSources(), trt.LoadTactics("tactics.json"),
			trt.LoadTimingCache("from"), trt.SaveTimingCache("to")),
		trt.Engine(trt.AmperePlus(), trt.VersionCompatible(),
			trt.ExcludeLeanRuntime(), trt.StripPlan(), trt.SavePlan("net.plan"), trt.SparseWeights(),
			trt.DirectIO(), trt.AuxStreams(0), trt.AliasedPluginIO1003()),
		trt.Engine(trt.DecomposableAttentions(), trt.DLA(1), trt.GPUFallback(),
			trt.DLAStandalone(), trt.ForWindows(),
			trt.Plugins("b.so", "a.so"), trt.PluginInstanceNorm(),
			trt.PluginOverride(), trt.Detailed()),
		trt.Engine(trt.Refittable(), trt.EngineCache(`C:\"engines"`), trt.Library("/lib"),
			trt.Device(2), trt.LoadRuntime("lean.so"), trt.AllocateForShapes(),
			trt.WarmUp(3)),
		trt.Engine(trt.NoEngineCache(), trt.PrecisionConstraints(trt.Obey)),
		trt.Plan("net.plan"),
		trt.Plan(`the "net".plan`, trt.Device(1), trt.Plugins("a.so")),
	}
	for name, e := range enumerations {
		engines = append(engines, e)
		_ = name
	}
	enginetest.Printed(t, engines...)
}

// enumerations is an engine with every enumerator of each enumeration.
var enumerations = map[string]enginetest.Engine{
	"flags": trt.Engine(trt.SafetyScope(), trt.EditableTimingCache()),
	"pools": trt.Engine(each(func(p trt.MemoryPool) trt.Option { return trt.PoolLimit(p, 1) },
		trt.Workspace, trt.DLAManagedSRAM, trt.DLALocalDRAM, trt.DLAGlobalDRAM, trt.TacticDRAM,
		trt.TacticSharedMemory)),
	"formats": trt.Engine(trt.TensorFormats("x", trt.Linear, trt.CHW2, trt.HWC8, trt.CHW4, trt.CHW16,
		trt.CHW32, trt.DHWC8, trt.CDHW32, trt.HWC, trt.DLALinear, trt.DLAHWC4, trt.HWC16, trt.DHWC)),
	"sources": trt.Engine(trt.TacticSources(trt.CUBLAS, trt.CUBLASLt, trt.CUDNN,
		trt.EdgeMaskConvolutions, trt.JITConvolutions)),
	"features": trt.Engine(trt.ProfileSharing0806(), trt.AliasedPluginIO1003(),
		trt.RuntimeActivationResize1010()),
	"parser": trt.Engine(trt.UINT8OnDLA(), trt.ReportCapabilityDLA(), trt.AdjustForDLA()),
	"first": trt.Engine(trt.SameComputeCapability(), trt.Safety(), trt.TilingFast(),
		trt.LayerNamesOnly(), trt.AllocateForProfile(), trt.INT8(), trt.EntropyCalibration()),
	"second": trt.Engine(trt.TilingModerate(), trt.NoLayers()),
	"unknown": trt.Engine(trt.MarkTypes("dreaming"), trt.PoolLimit("heap", 1),
		trt.LayerPrecision("x", tensor.Float64), trt.PrecisionConstraints("maybe")),
}

func each[T any](one func(T) trt.Option, values ...T) trt.Option {
	var options []trt.Option
	for _, value := range values {
		options = append(options, one(value))
	}
	return trt.Options(options...)
}

var _ = Describe("An engine of TensorRT", func() {
	It("is equal by == where its options are, whatever their order and the defaults", func() {
		Expect(trt.Engine()).To(BeIdenticalTo(trt.Engine(trt.Option{}, trt.Device(0), trt.WarmUp(0),
			trt.Option{})))
		Expect(trt.Engine(trt.FP16(), trt.MarkOnly("a", "b"), trt.OptimizationLevel(2))).To(
			BeIdenticalTo(trt.Engine(trt.OptimizationLevel(1), trt.MarkOnly("b"),
				trt.MarkOnly("a", "b"), trt.FP16(), trt.OptimizationLevel(2))))
		Expect(trt.Engine(trt.FP16())).NotTo(Equal(trt.Engine()))
		Expect(trt.Plan("a")).To(Equal(trt.Plan("a", trt.Device(0))))
		Expect(trt.Plan("a")).NotTo(Equal(trt.Plan("b")))
		known := map[backends.Engine]int{trt.Engine(trt.FP16()): 1, trt.Plan("a"): 2}
		Expect(known[trt.Engine(trt.FP16())]).To(Equal(1))
		Expect(known[trt.Plan("a")]).To(Equal(2))
	})

	It("says itself in words, in Go and as text", func() {
		e := trt.Engine(trt.FP16(), trt.PrecisionConstraints("obey"),
			trt.LayerPrecision("*", tensor.Float16), trt.AmperePlus())
		Expect(e.String()).To(Equal("tensorrt AmperePlus, FP16, " +
			"LayerPrecision(*, float16), PrecisionConstraints(OBEY)"))
		Expect(e.GoString()).To(Equal("trt.Engine(trt.AmperePlus(), trt.FP16(), " +
			`trt.LayerPrecision("*", tensor.Float16), trt.PrecisionConstraints(trt.Obey))`))
		Expect(trt.Engine(trt.FP16()).Text()).To(Equal(`trt {"flags":{"FP16":true,"TF32":false}}`))
		Expect(trt.Engine().Text()).To(Equal("trt {}"))
		Expect(trt.Engine(trt.Log(io.Discard, slog.LevelInfo)).GoString()).To(
			Equal("trt.Engine(/* left out: trt.Log(a writer) */)"))
		plan := trt.Plan("some/net.plan", trt.Device(1))
		Expect(plan.String()).To(Equal("tensorrt plan net.plan Device(1)"))
		Expect(plan.GoString()).To(Equal(`trt.Plan("some/net.plan", trt.Device(1))`))
		Expect(plan.Text()).To(Equal(`trt plan "some/net.plan" {"device":1}`))
		Expect(trt.Plan("net.plan").GoString()).To(Equal(`trt.Plan("net.plan")`))
	})

	It("tells everything that is wrong at once, in the options' order", func(ctx SpecContext) {
		wrong := []trt.Option{trt.PoolLimit("heap", 1), trt.WarmUp(-1),
			trt.MarkTypes("dreaming"), trt.OptimizationLevel(9)}
		const want = `tensorrt: trt.PoolLimit("HEAP", 1): unknown memory pool "HEAP"; ` +
			`it must be one of WORKSPACE, DLA_MANAGED_SRAM, DLA_LOCAL_DRAM, DLA_GLOBAL_DRAM, TACTIC_DRAM, ` +
			"TACTIC_SHARED_MEMORY\ntrt.WarmUp(-1): the number of runs must be 0 or more, got -1\n" +
			`trt.MarkTypes("DREAMING"): unknown layer type "DREAMING"; it must be one of CONVOLUTION, `
		for range 3 {
			_, err := trt.Engine(wrong...).Open(ctx, loaders.ONNXBytes("m", nil), fixtures.Inputs{})
			Expect(err).To(MatchError(And(HavePrefix(want), HaveSuffix(
				"\ntrt.OptimizationLevel(9): unknown optimization level 9; the levels are 0 to 5"))))
		}
		Expect(trt.Available(wrong...)).To(MatchError(HavePrefix(want)))
		_, err := trt.Engine(trt.StronglyTyped(), trt.FP16(), trt.BF16(), trt.ExcludeLeanRuntime()).
			Open(ctx, loaders.ONNXBytes("m", nil), fixtures.Inputs{})
		Expect(err).To(MatchError("tensorrt: ExcludeLeanRuntime needs VersionCompatible: without it, " +
			"no engine contains the runtime\n" +
			"StronglyTyped and FP16 cannot be combined: a strongly typed network takes its types from " +
			"the model\n" +
			"StronglyTyped and BF16 cannot be combined: a strongly typed network takes its types from " +
			"the model"))
	})

	It("names every option about a build that a plan is given", func(ctx SpecContext) {
		plan := trt.Plan("net.plan", trt.FP16(), trt.Device(1), trt.CalibrationCache("scales"),
			trt.SaveTimingCache("timings"), trt.MarkOnly("r"), trt.Log(io.Discard, slog.LevelInfo),
			trt.SavePlan("copy.plan"), trt.NoEngineCache(), trt.Calibrate(fixtures.Inputs{}))
		_, err := plan.Open(ctx, plan, fixtures.Inputs{})
		Expect(err).To(MatchError("tensorrt plan: build options do not apply to a plan: remove " +
			`trt.FP16(), trt.CalibrationCache("scales"), trt.SaveTimingCache("timings"), ` +
			`trt.MarkOnly("r"), ` +
			"trt.Calibrate, or run the ONNX model instead of the plan"))
		_, err = trt.Plan("net.plan", trt.TF32()).Inputs()
		Expect(err).To(MatchError("tensorrt plan: build options do not apply to a plan: remove " +
			"trt.TF32(), or run the ONNX model instead of the plan"))
	})

	It("warns of types that TensorRT may choose", func() {
		caution := func(options ...trt.Option) string {
			return backends.CapabilitiesOf(trt.Engine(options...)).Caution()
		}
		Expect(caution()).To(BeEmpty())
		for _, option := range []trt.Option{trt.FP16(), trt.BF16(), trt.FP8(), trt.INT8()} {
			Expect(caution(option)).To(ContainSubstring("may have run a node alone in float32"))
		}
		Expect(caution(trt.FP16())).To(And(ContainSubstring("trt.PrecisionConstraints(trt.Obey)"),
			ContainSubstring("--precision-constraints obey")))
		Expect(caution(trt.FP16(), trt.PrecisionConstraints(trt.Obey))).To(BeEmpty())
		Expect(caution(trt.WarmUp(-1), trt.FP16())).To(BeEmpty(), "options that are wrong")
	})

	It("opens ONNX models, and says what else it was given", func(ctx SpecContext) {
		_, err := trt.Engine().Open(ctx, nil, fixtures.Inputs{})
		Expect(err).To(MatchError("tensorrt: no model to run"))
		_, err = trt.Plan("net.plan").Open(ctx, trt.Plan("other.plan"), fixtures.Inputs{})
		Expect(err).To(MatchError("tensorrt: the engine is plan net.plan, so it cannot run plan " +
			"other.plan"))
	})
})
