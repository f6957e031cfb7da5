package ort_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A backend", func() {
	It("says in each run what made it", func(ctx SpecContext) {
		m := model("identity_float")
		result, err := ort.Run(ctx, m, x(tensor.Of[float32](1)), ort.Threads(2),
			ort.OptimizationLevel(ort.OptimizeBasic), ort.Config("session.disable_prepacking", "1"))
		Expect(err).NotTo(HaveOccurred())
		sum, err := m.SHA256()
		Expect(err).NotTo(HaveOccurred())
		p := result.Provenance
		Expect(p.Version).To(MatchRegexp(`^1\.\d+\.\d+$`))
		p.Version = ""
		Expect(p).To(Equal(backends.Provenance{
			Backend: "onnxruntime", Provider: "CPUExecutionProvider",
			Model: "identity_float.onnx", ModelSHA256: sum, Inputs: "given in Go",
			InputsSHA256: result.Subject().InputsSHA256,
			Options: map[string]string{"optimization": "basic", "intra_threads": "2",
				"session.disable_prepacking": "1"},
			Computed: backends.Float32,
		}))
	})

	It("pins threads and level unless told otherwise", func(ctx SpecContext) {
		result, err := ort.Run(ctx, model("identity_float"), x(tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Provenance.Options).To(Equal(map[string]string{
			"optimization": "all", "intra_threads": "1"}))
	})

	It("reads weights from a file next to the model", func(ctx SpecContext) {
		Expect(values(run(ctx, "external", x(tensor.Of[float32](1, 1, 1, 1))))).To(ConsistOf(
			"y: float32[4] [1 2 3 4]"))
	})

	It("reads weights by links, as caches of downloaded models have them", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		for name, blob := range map[string]string{"external.onnx": "1f0c", "external.bin": "9ab2"} {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			Expect(err).NotTo(HaveOccurred())
			for _, sub := range []string{"blobs", "snapshots"} {
				Expect(os.MkdirAll(filepath.Join(folder, sub), 0o700)).To(Succeed())
			}
			Expect(os.WriteFile(filepath.Join(folder, "blobs", blob), data, 0o600)).To(Succeed())
			err = os.Symlink("../blobs/"+blob, filepath.Join(folder, "snapshots", name))
			if err != nil {
				Skip("this system has no links: " + err.Error())
			}
		}
		m := loaders.ONNX(filepath.Join(folder, "snapshots", "external.onnx"))
		marked, err := m.Mark("y")
		Expect(err).NotTo(HaveOccurred())
		for _, m := range []*loaders.Model{m, marked} {
			result, err := ort.Run(ctx, m, x(tensor.Of[float32](1, 1, 1, 1)))
			Expect(err).NotTo(HaveOccurred())
			Expect(values(result.Iterations()[0].Outputs)).To(ConsistOf("y: float32[4] [1 2 3 4]"))
		}
	})

	It("lets ONNX Runtime read a file that is large", func(ctx SpecContext) {
		small, err := os.ReadFile("testdata/identity_float.onnx")
		Expect(err).NotTo(HaveOccurred())
		// Field 6 of a model is its documentation, which pads the file.
		padding := append([]byte{6<<3 | 2, 0x80, 0x80, 0x80, 0x21}, make([]byte, 66<<20+4<<18)...)
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		padded := append(small, append([]byte{6<<3 | 2}, varint(len(padding))...)...)
		Expect(os.WriteFile(path, append(padded, padding...), 0o644)).To(Succeed())
		result, err := ort.Run(ctx, loaders.ONNX(path), x(tensor.Of[float32](4)))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(result.Iterations()[0].Outputs)).To(ConsistOf("y: float32[1] [4]"))
	})

	It("stops when the context ends", func(ctx SpecContext) {
		reason := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(50*time.Millisecond, func() { cancel(reason) })
		started := time.Now()
		_, err := ort.Run(ending, model("endless"), x(tensor.Of[float32](1)))
		Expect(err).To(MatchError(reason))
		Expect(time.Since(started)).To(BeNumerically("<", 5*time.Second))
	}, NodeTimeout(time.Minute))

	It("does not start when the context has ended", func(ctx SpecContext) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := ort.Run(ended, loaders.ONNX("testdata/absent.onnx"), x(tensor.Of[float32](1)))
		Expect(err).To(MatchError(context.Canceled))
	}, NodeTimeout(time.Minute))
})

var _ = Describe("Options", func() {
	DescribeTable("that make no sense are an error",
		func(expected string, options ...ort.Option) {
			_, err := open(model("identity_float"), options...)
			Expect(err).To(MatchError(ContainSubstring(expected)))
		},
		Entry("an unknown level", `ort.OptimizationLevel(ort.Level("fast")): unknown level "fast"; `+
			"it must be none, basic, extended, layout or all", ort.OptimizationLevel("fast")),
		Entry("negative threads", "ort.Threads(-1): the number must be between 0 and 1024; with 0,",
			ort.Threads(-1)),
		Entry("more threads than a machine has", "ort.Threads(100000): the number must be between",
			ort.Threads(100000)),
		Entry("threads that int32 would take as 1", "ort.Threads(4294967297): the number must be",
			ort.Threads(1<<32+1)),
		Entry("threads that int32 would take as 0", "ort.Threads(4611686018427387904): the number",
			ort.Threads(1<<62)),
		Entry("negative warm-up", "ort.WarmUp(-1): the number of warm-up runs must be 0 or "+
			"more", ort.WarmUp(-1)),
		Entry("no provider", "ort.Providers(): no provider given; pass cpu", ort.Providers()),
		Entry("a provider that could be several", `provider "c" is ambiguous: it matches `+
			"CPUExecutionProvider, CUDAExecutionProvider, CoreMLExecutionProvider, "+
			"CANNExecutionProvider; write more",
			ort.Providers("c")),
		Entry("an unknown provider", `unknown provider "gpu"; it must be cpu, cuda, tensorrt, or a name`,
			ort.Providers("gpu")),
		Entry("a provider twice", "ort.Providers lists cuda twice; remove one",
			ort.Providers("cuda", "CUDAExecutionProvider")),
		Entry("the CPU before another provider", "lists cpu before CUDAExecutionProvider, but ONNX "+
			"Runtime always tries the CPU last; put cpu at the end", ort.Providers("cpu", "cuda")),
		Entry("options of a provider that is not used",
			"options are set for CUDAExecutionProvider, which is not among the providers",
			ort.ProviderOption("cuda", "use_tf32", "0")),
		Entry("options of the CPU", "the CPU provider has no options; to configure the session, use "+
			"ort.Config",
			ort.ProviderOption("cpu", "use_arena", "1")),
		Entry("options of a provider that does not exist", `unknown provider "gpu"`,
			ort.ProviderOption("gpu", "a", "b")),
		Entry("an option without a key", "the key is empty", ort.ProviderOption("cuda", "", "b")),
		Entry("a key that is empty", "the key is empty", ort.Config("", "1")),
		Entry("a key that is not text", `"\xff" is not valid UTF-8`, ort.Config("\xff", "1")),
		Entry("a path that is empty", "the path is empty", ort.Library("")),
		Entry("another library than the running one", "this process has already loaded",
			ort.Library("testdata/models.py")),
	)

	DescribeTable("a provider that is not there is an error, never the CPU",
		func(provider, full string) {
			for _, names := range [][]string{{provider}, {provider, "cpu"}} {
				_, err := open(model("identity_float"), ort.Providers(names...))
				Expect(err).To(MatchError(ContainSubstring("provider " + full + ": ")))
				var explained *backends.Refusal
				Expect(errors.As(err, &explained)).To(BeTrue())
				Expect(explained.Reason).To(Equal(backends.NoProvider))
			}
		},
		Entry("CUDA", "cuda", "CUDAExecutionProvider"),
		Entry("TensorRT", "tensorrt", "TensorrtExecutionProvider"),
		Entry("TensorRT by its short name", "trt", "TensorrtExecutionProvider"),
		Entry("a full name", "XnnpackExecutionProvider", "XnnpackExecutionProvider"),
	)

	// AzureExecutionProvider is built into ONNX Runtime's CPU wheels, and runs nothing of ONNX's own.
	DescribeTable("a node that falls back to the CPU is an error that names it",
		func(model *loaders.Model, expected string) {
			ort.Require(GinkgoT(), ort.Providers("AzureExecutionProvider"))
			_, err := open(model, ort.Providers("AzureExecutionProvider"))
			Expect(err).To(MatchError(And(ContainSubstring(expected), ContainSubstring(
				` would run on the CPU; to allow that, add "cpu" as the last provider`))))
			var explained *backends.Refusal
			Expect(errors.As(err, &explained)).To(BeTrue())
			Expect(explained.Reason).To(Equal(backends.NoProvider))
		},
		Entry("one without a name", model("identity_float"), "onnx: Identity would"),
		Entry("one in a branch", branch, "Det det"),
		Entry("many", digits,
			"onnx: Conv conv1, Relu relu1, MaxPool pool1, Conv conv2, Relu relu2, 6 more"),
	)

	It("a preferred provider that runs nothing is an error, although the CPU may stand in", func() {
		ort.Require(GinkgoT(), ort.Providers("AzureExecutionProvider"))
		_, err := open(model("identity_float"), ort.Providers("AzureExecutionProvider", "cpu"))
		Expect(err).To(MatchError(HaveSuffix("identity_float.onnx: AzureExecutionProvider runs none " +
			"of the model's nodes, which run on CPUExecutionProvider; list a different provider first")))
	})

	It("an unknown key of the configuration is ONNX Runtime's to judge", func(ctx SpecContext) {
		Expect(run(ctx, "no_inputs", feed(), ort.Providers("cpu"), ort.Threads(0),
			ort.Config("acme.unknown", "1"), ort.Option{}).Len()).To(Equal(1))
	})
})

// varint is n as protobuf writes it.
func varint(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
