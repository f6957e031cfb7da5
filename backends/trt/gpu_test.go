//go:build linux && cgo

package trt_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// What needs a GPU and a real TensorRT. `make gpu-test` runs these specs; elsewhere they are
// skipped, with one line that says what is missing.

// digits is a small convolutional net that was really trained, with 360 images that the training
// did not see.
var (
	digits = loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
	images = fixtures.Load("../../example_test/digits/testdata/heldback.npz")
)

func labels() (digits []int) {
	GinkgoHelper()
	text, err := os.ReadFile("../../example_test/digits/testdata/labels.json")
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &digits)).To(Succeed())
	return digits
}

// onGPU is the options of a spec on a real TensorRT: an engine cache of its own, and the log in the
// spec's output.
func onGPU(options ...trt.Option) []trt.Option {
	GinkgoHelper()
	return append([]trt.Option{trt.EngineCache(GinkgoT().TempDir()),
		trt.Log(GinkgoWriter, slog.LevelWarn)}, options...)
}

func needGPU() { trt.Require(GinkgoT()) }

func needBoth() {
	trt.Require(GinkgoT())
	ort.Require(GinkgoT())
}

var long = SpecTimeout(5 * time.Minute)

var _ = Describe("digits on a GPU", Label("gpu"), func() {
	BeforeEach(needBoth)

	// The same model in the same precision: only the order of additions differs.
	same := func(ctx SpecContext, options ...trt.Option) {
		Expect(trt.Run(ctx, digits, images, onGPU(options...)...)).To(And(BeFinite(),
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images))))
	}
	DescribeTable("is ONNX Runtime's float32 with", same,
		Entry("no option", long),
		Entry("StronglyTyped", long, trt.StronglyTyped()),
		Entry("OptimizationLevel 0", long, trt.OptimizationLevel(0)),
		Entry("OptimizationLevel 5", long, trt.OptimizationLevel(5)),
		Entry("PoolLimit", long, trt.Options(trt.PoolLimit(trt.Workspace, 1<<28),
			trt.PoolLimit(trt.TacticSharedMemory, 1<<16), trt.PoolLimit(trt.TacticDRAM, 1<<30))),
		Entry("HardwareCompatible", long, trt.AmperePlus()),
		Entry("VersionCompatible", long,
			trt.Options(trt.VersionCompatible(), trt.ExcludeLeanRuntime())),
		Entry("Refittable", long, trt.Refittable()),
		Entry("StripPlan", long, trt.StripPlan()),
		Entry("SparseWeights", long, trt.SparseWeights()),
		Entry("DirectIO", long, trt.DirectIO()),
		Entry("AuxStreams 0", long, trt.AuxStreams(0)),
		Entry("AuxStreams 4", long, trt.AuxStreams(4)),
		Entry("TacticSources none", long, trt.TacticSources()),
		Entry("TacticSources all", long, trt.TacticSources(trt.CUBLAS, trt.CUBLASLt, trt.CUDNN,
			trt.EdgeMaskConvolutions, trt.JITConvolutions)),
		Entry("Preview", long, trt.AliasedPluginIO1003()),
		Entry("ParserFlags", long, trt.PluginOverride()),
		Entry("PluginInstanceNorm", long, trt.PluginInstanceNorm()),
		Entry("ProfilingVerbosity", long, trt.Detailed()),
		Entry("DisableCompilationCache", long, trt.DisableCompilationCache()),
		Entry("WeightStreaming", long, trt.Options(trt.StronglyTyped(), trt.WeightStreaming(),
			trt.WeightStreamingBudget(0))),
		Entry("WeightStreamingPercent", long, trt.Options(trt.StronglyTyped(), trt.WeightStreaming(),
			trt.WeightStreamingPercent(50))),
		Entry("WeightStreamingBudget automatic", long, trt.Options(trt.StronglyTyped(),
			trt.WeightStreaming(), trt.WeightStreamingBudget(-1))),
		Entry("AllocationStrategy profile", long, trt.AllocateForProfile()),
		Entry("AllocationStrategy runtime", long, trt.AllocateForShapes()),
		Entry("WarmUp", long, trt.WarmUp(3)),
	)

	// Fewer bits of mantissa: bounded by what they can hold, and every digit recognised as before.
	fewer := func(ctx SpecContext, atol, accuracy float64, options ...trt.Option) {
		Expect(trt.Run(ctx, digits, images, onGPU(options...)...)).To(And(BeFinite(),
			MatchOutputsWithin(atol, 0, Max).Under(compare.Options{AnyElementType: true}).
				Of(ort.Run(ctx, digits, images)),
			HaveTop1Accuracy(labels(), accuracy).OfOutput("logits")))
	}
	DescribeTable("keeps near to it with", fewer,
		Entry("TF32", long, 0.1, 0.96, trt.TF32()),
		Entry("FP16", long, 0.2, 0.96, trt.FP16()),
		Entry("BF16", long, 1.0, 0.96, trt.BF16()),
		Entry("FP8", long, 0.2, 0.96, trt.FP8()),
		Entry("FP16 preferred in one layer", long, 0.2, 0.96, trt.Options(trt.FP16(),
			trt.PrecisionConstraints(trt.Prefer), trt.LayerPrecision("conv*", tensor.Float16))),
		Entry("INT8, entropy 2", long, 20.0, 0.9, trt.INT8()),
		Entry("INT8, min-max", long, 20.0, 0.9, trt.Options(trt.INT8(), trt.Calibrate(images),
			trt.MinMaxCalibration())),
		Entry("INT8, entropy", long, 20.0, 0.9,
			trt.Options(trt.INT8(), trt.EntropyCalibration())),
		Entry("INT8, legacy", long, 20.0, 0.8,
			trt.Options(trt.INT8(), trt.LegacyCalibration(0.99, 0.5))),
		Entry("INT8 before fusion", long, 20.0, 0.9, trt.Options(
			trt.INT8(), trt.CalibrateBeforeFusion())),
	)

	It("is ONNX Runtime's with the quantized model", func(ctx SpecContext) {
		model := loaders.ONNX("../../example_test/digits-int8/testdata/digits_int8.onnx")
		Expect(trt.Run(ctx, model, images, onGPU(trt.INT8())...)).To(
			HaveTop1Accuracy(labels(), 0.95).OfOutput("logits"))
	}, long)

	It("uses an INT8 calibration cache without the images", func(ctx SpecContext) {
		cache := filepath.Join(GinkgoT().TempDir(), "scales")
		first, err := trt.Run(ctx, digits, images,
			onGPU(trt.INT8(), trt.CalibrationCache(cache))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(cache).To(BeAnExistingFile())
		Expect(trt.Run(ctx, digits, images, onGPU(trt.INT8(), trt.CalibrationCache(cache))...)).To(
			MatchOutputsWithin(2, 0, Max).Of(first))
	}, long)

	It("measures nothing with a full timing cache", func(ctx SpecContext) {
		cache := trt.TimingCache(filepath.Join(GinkgoT().TempDir(), "timing"))
		_, err := trt.Run(ctx, digits, images, onGPU(cache, trt.ErrorOnTimingCacheMiss())...)
		Expect(err).To(HaveOccurred(), "an empty cache misses everything")
		same(ctx, cache)
		same(ctx, cache, trt.ErrorOnTimingCacheMiss())
	}, long)

	It("is held by the golden file that ONNX Runtime made, and the other way round",
		func(ctx SpecContext) {
			Expect(trt.Run(ctx, digits, images, onGPU()...)).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).
					OfFile("../../example_test/digits/testdata/golden/digits.json"))
			run, err := trt.Run(ctx, digits, images, onGPU()...)
			Expect(err).NotTo(HaveOccurred())
			file := filepath.Join(GinkgoT().TempDir(), "digits.json")
			Expect(golden.Write(file, run, golden.Options{})).To(Succeed())
			Expect(ort.Run(ctx, digits, images)).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).OfFile(file))
			again, err := golden.ReadReference(context.Background(), file)
			Expect(err).NotTo(HaveOccurred())
			Expect(again.Run.Provenance.Provider).To(Equal(run.Provenance.Provider))
			AddReportEntry("made by", again.Run.Provenance.String())
		}, long)

	It("shows what is inside", func(ctx SpecContext) {
		plain, err := trt.Run(ctx, digits, images, onGPU()...)
		Expect(err).NotTo(HaveOccurred())
		all, err := trt.Run(ctx, digits, images, onGPU(trt.MarkAll())...)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("all", all.Outputs()[0].Names())
		Expect(len(all.Outputs()[0].Names())).To(BeNumerically(">", 8))
		Expect(trt.Run(ctx, digits, images, onGPU(trt.MarkTypes("CONVOLUTION"))...)).To(
			HaveOutput("logits"))
		// Every debug tensor has the value that the marked one has, and the outputs do not move.
		// TensorRT before 10.12 may crash over one, so that each is an output there.
		debugged, err := trt.Run(ctx, digits, images, onGPU(trt.Debug("*"))...)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("debug", debugged.Outputs()[0].Names())
		AddReportEntry("provenance", debugged.Provenance.Options)
		if strings.HasPrefix(debugged.Provenance.Version, "10.6.") {
			Expect(debugged.Provenance.Options).To(HaveKeyWithValue("debug tensors",
				HavePrefix("returned as outputs")))
		}
		// Those that the parser leaves unnamed within an operator are among them.
		Expect(debugged.Outputs()[0].Names()).To(ContainElements("relu1", "pool2", "hidden_output"))
		Expect(debugged.Outputs()[0].Names()).To(ConsistOf(all.Outputs()[0].Names()))
		for name, t := range debugged.Outputs()[0].All() {
			marked, _ := all.Outputs()[0].Get(name)
			Expect(t).To(MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(marked), name)
		}
		for name, t := range plain.Outputs()[0].All() {
			same, _ := debugged.Outputs()[0].Get(name)
			Expect(compare.Tensors(same, t, compare.Options{Checks: []compare.Check{
				compare.Within(1e-4, 1e-4, compare.Elementwise)}})).To(
				HaveField("Verdict", compare.Pass), name)
		}
	}, SpecTimeout(9*time.Minute))
})
