//go:build cgo

package ort_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// What needs a GPU and a build of ONNX Runtime for it. backends/ort/gputest.sh runs these specs;
// elsewhere they are skipped, with one line that says what is missing.

// images are 360 that the training of digits did not see.
var (
	images = fixtures.Load("../../example_test/digits/testdata/heldback.npz")
	saved  = "../../example_test/digits/testdata/golden/digits.json"
)

func labels() (digits []int) {
	GinkgoHelper()
	text, err := os.ReadFile("../../example_test/digits/testdata/labels.json")
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &digits)).To(Succeed())
	return digits
}

// square is y = -det(x·x) for a 4 by 4 matrix: neither CUDA nor TensorRT has a Det.
var square = loaders.ONNXBytes("square.onnx", onnxtest.Model{Graph: onnxtest.Graph{
	Nodes: []onnxtest.Node{
		{Op: "MatMul", Name: "product", In: []string{"x", "x"}, Out: []string{"p"}},
		{Op: "Det", Name: "det", In: []string{"p"}, Out: []string{"d"}},
		{Op: "Neg", Name: "neg", In: []string{"d"}, Out: []string{"y"}},
	},
	Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{4, 4}}},
	Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{}}},
}}.Bytes())

// product is one large matrix product, which tensor cores compute in TF32 if they may.
var product = loaders.ONNXBytes("product.onnx", onnxtest.Model{Graph: onnxtest.Graph{
	Nodes: []onnxtest.Node{
		{Op: "MatMul", Name: "product", In: []string{"a", "b"}, Out: []string{"y"}}},
	Inputs: []onnxtest.Value{{Name: "a", Elem: float, Dims: []any{512, 512}},
		{Name: "b", Elem: float, Dims: []any{512, 512}}},
	Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{512, 512}}},
}}.Bytes())

// random is n iterations of inputs for a model.
func random(model *loaders.Model, n int) fixtures.Inputs {
	return fixtures.Random(model, fixtures.Seed(1), fixtures.Iterations(n))
}

// ran runs a model and reports which provider ran what.
func ran(ctx SpecContext, m *loaders.Model, in fixtures.Inputs, o ...ort.Option) *backends.Run {
	GinkgoHelper()
	result, err := ort.Run(ctx, m, in, o...)
	Expect(err).NotTo(HaveOccurred())
	AddReportEntry("made by", result.Provenance.String())
	return result
}

// refused expects that a model is refused over its providers, and gives the error.
func refused(m *loaders.Model, o ...ort.Option) error {
	GinkgoHelper()
	b, err := open(m, o...)
	if err == nil {
		Expect(b.Close()).To(Succeed())
	}
	var explained *backends.Refusal
	Expect(errors.As(err, &explained)).To(BeTrue(), "%v", err)
	Expect(explained.Reason).To(Equal(backends.NoProvider))
	AddReportEntry("refused", err.Error())
	return err
}

var (
	cuda     = ort.Providers("cuda")
	tensorRT = ort.Providers("tensorrt")
	long     = SpecTimeout(5 * time.Minute)
)

var _ = Describe("the CUDA provider", Label("gpu"), func() {
	BeforeEach(func() { ort.Require(GinkgoT(), cuda) })

	It("gives the CPU provider's digits, and says that it did", func(ctx SpecContext) {
		result := ran(ctx, digits, images, cuda)
		Expect(result).To(And(BeFinite(), HaveTop1Accuracy(labels(), 0.96).OfOutput("logits"),
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images))))
		Expect(result.Provenance.Provider).To(Equal("CUDAExecutionProvider"))
		Expect(result.Provenance.Options).To(HaveKeyWithValue("CUDAExecutionProvider.use_tf32", "0"))
	}, long)

	It("is held by the golden file that the CPU made, and the other way round",
		func(ctx SpecContext) {
			result := ran(ctx, digits, images, cuda)
			Expect(result).To(MatchOutputsWithin(1e-4, 1e-4, Elementwise).OfFile(saved))
			file := filepath.Join(GinkgoT().TempDir(), "digits.json")
			Expect(golden.Write(file, result, golden.Options{})).To(Succeed())
			Expect(ort.Run(ctx, digits, images)).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).OfFile(file))
			again, err := golden.ReadReference(context.Background(), file)
			Expect(err).NotTo(HaveOccurred())
			Expect(again.Run.Provenance).To(Equal(result.Provenance))
		}, long)

	It("computes float32 as float32, and in TF32 where it is told to", func(ctx SpecContext) {
		inputs := random(product, 2)
		onCPU := ran(ctx, product, inputs)
		Expect(ran(ctx, product, inputs, cuda)).To(
			MatchOutputsWithin(0, 1e-5, Elementwise).Of(onCPU))
		fewer := ran(ctx, product, inputs, cuda, ort.ProviderOption("cuda", "use_tf32", "1"))
		Expect(fewer).NotTo(MatchOutputsWithin(0, 1e-5, Elementwise).Of(onCPU))
		Expect(fewer).To(MatchOutputsWithin(0, 1e-2, Elementwise).Of(onCPU))
	}, long)

	It("refuses a model with an operator that CUDA lacks", func() {
		Expect(refused(square, cuda)).To(MatchError(And(HavePrefix("onnxruntime 1."), ContainSubstring(
			`square.onnx: Det det would run on the CPU; to allow that, add "cpu" as the last provider`))))
		Expect(refused(branch, cuda)).To(MatchError(ContainSubstring("Det det")))
		Expect(refused(model("identity_string"), cuda)).To(
			MatchError(ContainSubstring("identity_string.onnx: Identity would run on the CPU")))
	})

	It("leaves such an operator to the CPU where that is named, and says so", func(ctx SpecContext) {
		inputs := random(square, 3)
		result := ran(ctx, square, inputs, ort.Providers("cuda", "cpu"))
		Expect(result).To(MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, square, inputs)))
		Expect(result.Provenance.Provider).To(
			Equal("CUDAExecutionProvider 2, CPUExecutionProvider 1 (Det)"))
	}, long)

	It("must run something, although the CPU may stand in", func() {
		Expect(refused(model("identity_string"), ort.Providers("cuda", "cpu"))).To(
			MatchError(HaveSuffix("CUDAExecutionProvider runs none of the model's nodes, which run on " +
				"CPUExecutionProvider; list a different provider first")))
	})

	It("refuses an option that it does not know", func() {
		_, err := open(digits, cuda, ort.ProviderOption("cuda", "use_tf33", "1"))
		Expect(err).To(MatchError(ContainSubstring("use_tf33")))
		Expect(ort.Available(cuda, ort.ProviderOption("cuda", "use_tf33", "1"))).NotTo(
			MatchError(ContainSubstring("is missing")), "a wrong option must not skip a spec")
	})

	It("runs many iterations and goroutines in one session", func(ctx SpecContext) {
		b, err := open(digits, cuda)
		Expect(err).NotTo(HaveOccurred())
		defer func() { Expect(b.Close()).To(Succeed()) }()
		inputs := fixtures.Random(digits, fixtures.Seed(7), fixtures.Shape("image", 16, 1, 8, 8),
			fixtures.Iterations(20))
		expected, err := ort.Run(ctx, digits, inputs)
		Expect(err).NotTo(HaveOccurred())
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				for range 5 {
					Expect(b.Run(ctx, inputs)).To(
						MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(expected))
				}
			})
		}
		group.Wait()
	}, long)

	// CUDA sets signal handlers, and Go makes panics of signals. Where that goes wrong it ends the
	// process, so it is tried in one of its own.
	It("leaves Go its signals", func(ctx SpecContext) {
		if os.Getenv("MODELPARITY_TEST_SIGNALS") == "" {
			again := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestORT$",
				"-ginkgo.focus=leaves Go its signals")
			again.Env = append(os.Environ(), "MODELPARITY_TEST_SIGNALS=1")
			output, err := again.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), "%s", output)
			Expect(string(output)).To(ContainSubstring("1 Passed"))
			return
		}
		ran(ctx, digits, images, cuda)
		Expect(func() {
			var nothing *int
			*nothing++
		}).To(PanicWith(MatchError(ContainSubstring("nil pointer dereference"))))
	}, long)
})

// Any machine can tell whether the models of these specs are sound.
var _ = Describe("a model of the GPU specs", func() {
	DescribeTable("runs on the CPU", func(ctx SpecContext, m *loaders.Model) {
		Expect(ort.Run(ctx, m, random(m, 2))).To(BeFinite())
	},
		Entry("square", square), Entry("branch", branch), Entry("product", product))
})

var _ = Describe("the TensorRT provider", Label("gpu"), func() {
	BeforeEach(func() { ort.Require(GinkgoT(), tensorRT) })

	option := func(key, value string) ort.Option { return ort.ProviderOption("tensorrt", key, value) }

	// It uses TF32, and only the environment can forbid that.
	exactly := os.Getenv("NVIDIA_TF32_OVERRIDE") == "0"

	It("gives the CPU provider's digits, all of them by TensorRT", func(ctx SpecContext) {
		result := ran(ctx, digits, images, tensorRT)
		tolerance := 0.1
		if exactly {
			tolerance = 1e-4
		}
		Expect(result).To(And(BeFinite(), HaveTop1Accuracy(labels(), 0.96).OfOutput("logits"),
			MatchOutputsWithin(tolerance, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images))))
		Expect(result.Provenance.Provider).To(Equal("TensorrtExecutionProvider"))
	}, long)

	It("computes float32 as float32 where the environment forbids TF32", func(ctx SpecContext) {
		inputs := random(product, 2)
		rtol := 1e-2
		if exactly {
			rtol = 1e-5
		}
		Expect(ran(ctx, product, inputs, tensorRT)).To(
			MatchOutputsWithin(0, rtol, Elementwise).Of(ort.Run(ctx, product, inputs)))
	}, long)

	It("computes in FP16 where it is told to", func(ctx SpecContext) {
		result := ran(ctx, digits, images, tensorRT, option("trt_fp16_enable", "1"))
		Expect(result).To(And(BeFinite(), HaveTop1Accuracy(labels(), 0.96).OfOutput("logits"),
			MatchOutputsWithin(0.2, 0, Max).Of(ort.Run(ctx, digits, images))))
		Expect(result.Provenance.Options).To(
			HaveKeyWithValue("TensorrtExecutionProvider.trt_fp16_enable", "1"))
	}, long)

	It("keeps its engines where it is told to, and uses them again", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		cache := []ort.Option{tensorRT, option("trt_engine_cache_enable", "1"),
			option("trt_engine_cache_path", folder)}
		first := ran(ctx, digits, images, cache...)
		engines, err := filepath.Glob(filepath.Join(folder, "*.engine"))
		Expect(err).NotTo(HaveOccurred())
		Expect(engines).To(HaveLen(1))
		before, err := os.Stat(engines[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(ran(ctx, digits, images, cache...)).To(
			MatchOutputsWithin(0, 0, Elementwise).Of(first), "the same kernels")
		after, err := os.Stat(engines[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(after.ModTime()).To(Equal(before.ModTime()), "it was not built again")
	}, long)

	It("refuses a model with an operator that TensorRT lacks", func(_ SpecContext) {
		named := MatchError(ContainSubstring("square.onnx: Det det would run on the CPU"))
		Expect(refused(square, tensorRT)).To(named)
		Expect(refused(square, ort.Providers("tensorrt", "cuda"))).To(named)
	}, long)

	It("leaves nodes to CUDA and the CPU where they are named, and says which",
		func(ctx SpecContext) {
			onCUDA := ort.Providers("tensorrt", "cuda")
			result := ran(ctx, digits, images, onCUDA, option("trt_op_types_to_exclude", "Softmax"))
			Expect(result).To(MatchOutputsWithin(0.1, 1e-4, Elementwise).Of(ort.Run(ctx, digits, images)))
			Expect(result.Provenance.Provider).To(MatchRegexp(
				`^TensorrtExecutionProvider \d+, CUDAExecutionProvider 1 \(Softmax\)$`))
			inputs := random(square, 2)
			result = ran(ctx, square, inputs, ort.Providers("tensorrt", "cpu"))
			Expect(result).To(MatchOutputsWithin(0.1, 1e-3, Elementwise).Of(ort.Run(ctx, square, inputs)))
			Expect(result.Provenance.Provider).To(
				Equal("TensorrtExecutionProvider 2, CPUExecutionProvider 1 (Det)"))
		}, long)

	It("must run something, although CUDA may stand in", func(_ SpecContext) {
		Expect(refused(digits, ort.Providers("tensorrt", "cuda"),
			option("trt_min_subgraph_size", "1000"))).To(MatchError(ContainSubstring("TensorrtExecution" +
			"Provider runs none of the model's nodes, which run on CUDAExecutionProvider;")))
	}, long)
})
