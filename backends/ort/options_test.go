package ort_test

import (
	"io"
	"log/slog"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestEveryOptionPrintsItselfAsGo(t *testing.T) {
	skips.Long(t)
	enginetest.Printed(t,
		ort.Engine(),
		ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)),
		ort.Engine(ort.OptimizationLevel(ort.OptimizeBasic)),
		ort.Engine(ort.OptimizationLevel(ort.OptimizeExtended)),
		ort.Engine(ort.OptimizationLevel("fast")),
		ort.Engine(ort.AccuracyLevel(ort.AccuracyInt8)),
		ort.Engine(ort.AccuracyLevel("int4")),
		ort.Engine(ort.Threads(0), ort.WarmUp(2)),
		ort.Engine(ort.Threads(-1)),
		ort.Engine(ort.Library(`C:\"a" /* b */`)),
		ort.Engine(ort.Release("1.24.4"), ort.Threads(2)),
		ort.Engine(ort.Providers("tensorrt", "CUDAExecutionProvider", "XnnpackExecutionProvider"),
			ort.ProviderOption("trt", "trt_fp16_enable", "1")),
		ort.Engine(ort.PluginEP("webgpu", ort.PluginOption("k", "v")), ort.Providers("cpu")),
		ort.Engine(ort.CustomOps("b.so", "a.so")),
		ort.Engine(ort.CustomOps("")),
		ort.Engine(ort.Log(io.Discard, slog.LevelInfo), ort.Threads(2)),
		ort.Engine(ort.Config("b", "<1>"), ort.Config("a", "\n")),
	)
}

var _ = Describe("An engine", func() {
	It("is equal by == where its options are, whatever their order and the defaults", func() {
		Expect(ort.Engine()).To(BeIdenticalTo(ort.Engine(ort.Threads(1),
			ort.OptimizationLevel(ort.OptimizeAll), ort.Providers("cpu"), ort.WarmUp(0), ort.Option{})))
		Expect(ort.Engine(ort.Threads(2), ort.Config("b", "1"), ort.Config("a", "1"))).To(
			BeIdenticalTo(ort.Engine(ort.Config("a", "1"), ort.Threads(3),
				ort.Config("b", "1"), ort.Threads(2))))
		Expect(ort.Engine(ort.Providers("cuda"))).To(BeIdenticalTo(ort.Engine(
			ort.Providers("CUDAExecutionProvider"), ort.ProviderOption("cuda", "use_tf32", "0"))))
		Expect(ort.Engine(ort.Threads(2))).NotTo(Equal(ort.Engine()))
		Expect(ort.Engine(ort.Config("a", "1"))).NotTo(Equal(ort.Engine(ort.Config("a", "2"))))
		known := map[backends.Engine]int{ort.Engine(): 1, ort.Engine(ort.Threads(2)): 2}
		Expect(known[ort.Engine(ort.Threads(2))]).To(Equal(2))
	})

	It("says itself in words, in Go and as text", func() {
		e := ort.Engine(ort.Threads(2), ort.OptimizationLevel(ort.OptimizeNone))
		Expect(e.String()).To(Equal("onnxruntime OptimizationLevel(none), Threads(2)"))
		Expect(e.GoString()).To(Equal(
			"ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(2))"))
		Expect(e.Text()).To(Equal(`ort {"level":"none","threads":2}`))
		Expect(ort.Engine().Text()).To(Equal("ort {}"))
		Expect(ort.Engine().String()).To(Equal("onnxruntime"))
	})

	It("tells everything that is wrong at once, in the options' order", func(ctx SpecContext) {
		wrong := ort.Engine(ort.Threads(-1), ort.Config("", "1"), ort.Threads(2),
			ort.Providers("gpu", "npu"))
		_, err := wrong.Open(ctx, model("identity_float"), fixtures.Inputs{})
		Expect(err).To(MatchError(`onnxruntime: ort.Threads(-1): the number must be between 0 and ` +
			`1024; with 0, ONNX Runtime chooses it from the number of cores
ort.Config("", "1"): the key is empty; pass one of ONNX Runtime's session configuration keys
ort.Providers("gpu", "npu"): unknown provider "gpu"; it must be cpu, cuda, tensorrt, or a name ` +
			`that ends in ExecutionProvider
unknown provider "npu"; it must be cpu, cuda, tensorrt, or a name that ends in ExecutionProvider`))
		Expect(ort.Available(ort.Threads(-1))).To(MatchError(ContainSubstring("between 0 and 1024")))
		Expect(wrong.GoString()).To(Equal(
			`ort.Engine(ort.Threads(-1), ort.Config("", "1"), ort.Threads(2), ort.Providers("gpu", "npu"))`))
	})

	It("starts threads only if told to", func(ctx SpecContext) {
		tasks := func() int {
			all, err := os.ReadDir("/proc/self/task")
			if err != nil {
				Skip("this spec counts the process's threads on Linux")
			}
			return len(all)
		}
		started := func(options ...ort.Option) int {
			GinkgoHelper()
			before := tasks()
			backend, err := ort.Engine(options...).Open(ctx, model("identity_float"), fixtures.Inputs{})
			Expect(err).NotTo(HaveOccurred())
			defer backend.Close() //nolint:errcheck // it only frees
			return tasks() - before
		}
		Expect(started(ort.WarmUp(1))).To(BeNumerically("<", 100))
		Expect(started(ort.Threads(200))).To(BeNumerically(">=", 199))
	})

	It("is the subject of its runs, which counts no warm-up", func(ctx SpecContext) {
		e := ort.Engine(ort.WarmUp(3))
		backend, err := e.Open(ctx, model("identity_float"), fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer backend.Close() //nolint:errcheck // it only frees
		opened, err := backend.Run(ctx, x(tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		ran, err := ort.Run(ctx, model("identity_float"), x(tensor.Of[float32](1)), ort.WarmUp(3))
		Expect(err).NotTo(HaveOccurred())
		for _, run := range []*backends.Run{opened, ran} {
			Expect(run.Len()).To(Equal(1))
			Expect(run.Subject().Engine).To(Equal(e))
			Expect(run.Subject().Model.Name()).To(Equal("identity_float.onnx"))
			Expect(run.Subject().Draw()).To(HaveLen(1))
		}
	})

	It("runs its own kind of models, and says what else it was given", func(ctx SpecContext) {
		_, err := ort.Engine().Open(ctx, nil, fixtures.Inputs{})
		Expect(err).To(MatchError("onnxruntime: no model to run"))
		_, err = ort.Engine().Open(ctx, (*loaders.Model)(nil), fixtures.Inputs{})
		Expect(err).To(MatchError("onnxruntime: no model to run"))
	})
})
