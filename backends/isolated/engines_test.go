//go:build linux && cgo

package isolated_test

import (
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// division is y = a / b over int32, by which ONNX Runtime and tract end their process if b is 0.
func division() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 6, Dims: []any{"n"}}
	}
	return loaders.ONNXBytes("division.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Div", In: []string{"a", "b"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{value("a"), value("b")},
		Outputs: []onnxtest.Value{value("y")}}}.Bytes())
}

func divided(a, b int32) fixtures.Inputs {
	GinkgoHelper()
	set, err := tensor.NewSet(tensor.Entry{Name: "a", Tensor: tensor.Of(a, a)},
		tensor.Entry{Name: "b", Tensor: tensor.Of(b, b)})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

var _ = Describe("ONNX Runtime in a process of its own", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// It refuses to divide by zero since 1.27 or so, but not what has no int32 as its result.
	It("fails one spec where it divides to its death, and the next one runs", func(ctx SpecContext) {
		if runtime.GOARCH != "amd64" {
			Skip("only x86 raises SIGFPE there")
		}
		_, err := isolated.Run(ctx, ort.Engine(), division(), divided(math.MinInt32, -1))
		var crash *isolated.Crash
		Expect(errors.As(err, &crash)).To(BeTrue(), "%v", err)
		Expect(crash.Doing).To(Equal("running iteration 0 of division.onnx"))
		Expect(crash.Cause).To(HavePrefix("SIGFPE"))
		run, err := isolated.Run(ctx, ort.Engine(), division(), divided(6, 2))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].At(0).Tensor).To(Equal(tensor.Of[int32](3, 3)))
		Expect(run.Provenance.Backend).To(Equal("onnxruntime"))
	})

	// MatmulTransposeFusion makes a FusedMatMul of the two nodes, at which NchwcTransformer ends the
	// process. Every release from 1.24.1 to 1.32.0 does so, except 1.29.0.
	DescribeTable("fails one spec where it cannot open a MatMul in float16 whose batch is transposed",
		func(ctx SpecContext, option ort.Option, crashes bool) {
			const float16 = 10
			model := loaders.ONNXBytes("transposed.onnx", onnxtest.Model{Graph: onnxtest.Graph{
				Inputs:  []onnxtest.Value{{Name: "x", Elem: float16, Dims: []any{5, 2, 4}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: float16, Dims: []any{2, 5, 6}}},
				Initializers: []onnxtest.Tensor{{Name: "w", Type: float16, Dims: []int64{4, 6},
					Raw: make([]byte, 2*4*6)}},
				Nodes: []onnxtest.Node{
					{Op: "Transpose", In: []string{"x"}, Out: []string{"t"},
						Attrs: []onnxtest.Attr{{Name: "perm", Ints: []int64{1, 0, 2}}}},
					{Op: "MatMul", In: []string{"t", "w"}, Out: []string{"y"}}}}}.Bytes())
			_, err := isolated.Run(ctx, ort.Engine(option), model,
				fixtures.Random(model, fixtures.Seed(1)))
			if !crashes {
				Expect(err).NotTo(HaveOccurred())
				return
			}
			var crash *isolated.Crash
			Expect(errors.As(err, &crash)).To(BeTrue(), "%v", err)
			Expect(crash.Cause).To(HavePrefix("SIGSEGV"))
			Expect(crash.Doing).To(Equal("opening transposed.onnx"))
		},
		Entry("at level all", ort.OptimizationLevel(ort.OptimizeAll), true),
		Entry("but not at level extended", ort.OptimizationLevel(ort.OptimizeExtended), false),
		Entry("but not without the fusion",
			ort.Config("optimization.disable_specified_optimizers", "MatmulTransposeFusion"), false),
		Entry("but not without NchwcTransformer",
			ort.Config("optimization.disable_specified_optimizers", "NchwcTransformer"), false),
	)
})

var _ = Describe("tract in a process of its own", func() {
	BeforeEach(func() { tract.Require(GinkgoT()) })

	It("fails one spec where it aborts, and the next one runs", func(ctx SpecContext) {
		_, err := isolated.Run(ctx, tract.Engine(), division(), divided(1, 0))
		var crash *isolated.Crash
		Expect(errors.As(err, &crash)).To(BeTrue(), "%v", err)
		Expect(crash.Cause).To(HavePrefix("SIGABRT"))
		Expect(crash.Words).To(ContainSubstring("attempt to divide by zero"))
		Expect(isolated.Run(ctx, tract.Engine(), division(), divided(6, 2))).NotTo(BeNil())
	})
})

// held makes a spec of each that an engine passes here as it does without isolation. What takes
// long and is about the engine alone is left to its own suite.
func held(e backends.Engine, options ...backendtest.Option) {
	asked := []string{"gives the outputs that the model declares, by name and in order",
		"records how each run was made, so that it can be repeated", "runs concurrently",
		"can be closed while it runs", "stops when its context is cancelled",
		"runs again after a run that was cancelled", "refuses inputs without iterations",
		"returns the error that its inputs returned", "refuses a model that is damaged",
		"refuses an operator that it does not know", "refuses to open without a model",
		"leaves no goroutines behind"}
	for _, spec := range backendtest.Specs(isolated.Engine(e), options...) {
		if slices.Contains(asked, spec.Name) {
			It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
		}
	}
}

var _ = Describe("ONNX Runtime in a process of its own, as every engine,", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })
	held(ort.Engine(ort.Threads(2)))
})

var _ = Describe("tract in a process of its own, as every engine,", func() {
	BeforeEach(func() { tract.Require(GinkgoT()) })
	held(tract.Engine())
})

var _ = Describe("OpenVINO in a process of its own, as every engine,", func() {
	BeforeEach(func() { openvino.Require(GinkgoT()) })
	held(openvino.Engine())
})

var _ = Describe("Releases of ONNX Runtime", func() {
	It("run next to each other, whatever the lock and the environment name", func(ctx SpecContext) {
		now := engines.ONNXRuntime.Version
		ort.Require(GinkgoT(), ort.Release("1.24.4"))
		ort.Require(GinkgoT(), ort.Release(now))
		lock := filepath.Join(GinkgoT().TempDir(), enginelock.Name)
		Expect(enginelock.Lock{Engines: []enginelock.Entry{{Engine: engines.ONNXRuntime}}}.Write(lock)).
			Error().To(Succeed())
		GinkgoT().Setenv(enginelock.Variable, lock)
		GinkgoT().Setenv(engines.ONNXRuntime.Variable, "/nosuch")
		releases, err := isolated.Releases(ort.Engine(ort.Threads(2)), "1.24.4", now)
		Expect(err).NotTo(HaveOccurred())
		Expect(releases).To(HaveLen(2))
		for _, r := range releases {
			run, err := backends.RunIn(ctx, r.Engine, division(), divided(6, 3))
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Provenance.Version).To(Equal(r.Version))
			Expect(run.Provenance.Options).To(HaveKeyWithValue("intra_threads", "2"))
		}
	})

	It("say what to run if one is missing, and refuse what contradicts", func(ctx SpecContext) {
		GinkgoT().Setenv("XDG_CACHE_HOME", GinkgoT().TempDir())
		GinkgoT().Setenv("HOME", GinkgoT().TempDir())
		missing := new(backends.Missing)
		Expect(errors.As(ort.Available(ort.Release("1.25.0")), &missing)).To(BeTrue())
		Expect(missing.Backend).To(Equal("ort-1.25.0"))
		Expect(missing.Remedy).To(And(HavePrefix("run `MODELPARITY_LOCK=off "),
			HaveSuffix(" setup --release onnxruntime=1.25.0`, which leaves modelparity.lock unchanged")))
		Expect(ort.Available(ort.Release("1.2.3"))).To(
			MatchError(ContainSubstring("unknown release 1.2.3 of onnxruntime")))
		Expect(ort.Available(ort.Release(""))).To(
			MatchError(ContainSubstring("the release is empty; pass one, such as 1.24.4")))
		_, err := ort.Engine(ort.Release("1.24.4"), ort.Library("a.so")).Open(ctx, division(),
			divided(6, 3))
		Expect(err).To(MatchError(ContainSubstring("both choose the library; drop one")))
	})
})
