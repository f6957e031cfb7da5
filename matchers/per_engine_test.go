package matchers_test

import (
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("A golden file per engine", func() {
	const folder = "testdata/golden/"
	made := func(p backends.Provenance, values ...float32) *backends.Run {
		return backends.NewRun(p, backends.Iteration{Outputs: set("y", f32(values...)), Runtime: -1})
	}
	trt := backends.Provenance{Backend: "tensorrt", Provider: "NVIDIA H100",
		Options: map[string]string{"compute capability": "9.0", "fp16": "used in 2 of 3 layers",
			"tf32": "false"}}
	ort := backends.Provenance{Backend: "onnxruntime", Provider: "CPUExecutionProvider"}
	perEngine := func() *GoldenMatcher {
		return MatchGolden("net").PerEngine().Within(1e-2, 0, Elementwise)
	}
	names := func() (all []string) {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	updating := func(mode string) { GinkgoT().Setenv("GOLDEN_UPDATE", mode) }
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		GinkgoT().Setenv("CI", "")
		updating("")
		DeferCleanup(AnnounceTo(gbytes.NewBuffer()))
	})

	DescribeTable("is called by engine, precision and device", func(p backends.Provenance,
		want ...string) {
		Expect(golden.Variants("net", p)).To(Equal(want))
		for _, name := range want {
			_, err := goldentree.Path(name)
			Expect(err).NotTo(HaveOccurred())
		}
	},
		Entry("TensorRT in half precision", trt, "net@tensorrt-fp16-sm90", "net@tensorrt-fp16",
			"net@tensorrt", "net"),
		Entry("ONNX Runtime", ort, "net@onnxruntime-fp32-cpu", "net@onnxruntime-fp32",
			"net@onnxruntime", "net"),
		Entry("OpenVINO", backends.Provenance{Backend: "openvino", Provider: "CPU",
			Options: map[string]string{"precision": "bf16"}}, "net@openvino-bf16-cpu",
			"net@openvino-bf16", "net@openvino", "net"),
		Entry("several precisions", backends.Provenance{Backend: "tensorrt",
			Options: map[string]string{"int8": "true", "fp16": "true", "compute capability": "8.9"}},
			"net@tensorrt-fp16+int8-sm89", "net@tensorrt-fp16+int8", "net@tensorrt", "net"),
		Entry("a server with an odd name", backends.Provenance{Backend: "../Triton 2",
			Provider: "GPU:0"}, "net@triton2-fp32-gpu0", "net@triton2-fp32", "net@triton2", "net"),
	)

	It("is the most specific there is, and the order is told", func() {
		Expect(golden.Write(folder+"net.json", made(ort, 1), golden.Options{})).To(Succeed())
		Expect(made(trt, 1)).To(perEngine())
		Expect(golden.Write(folder+"net@tensorrt.json", made(trt, 2), golden.Options{})).To(Succeed())
		Expect(made(trt, 2)).To(perEngine())
		Expect(made(ort, 1)).To(perEngine(), "which has none of its own")
		var shown compare.Pair
		Expect(made(trt, 2)).To(perEngine().ReportTo(func(o compare.Pair) { shown = o }))
		const order = "the first existing file among net@tensorrt-fp16-sm90, net@tensorrt-fp16, " +
			"net@tensorrt, net"
		Expect(shown.Expected).To(ContainSubstring(order))
		Expect(failure(perEngine(), made(trt, 3))).To(ContainSubstring(
			"the golden file testdata/golden/net@tensorrt.json, " + order))
		_, err := MatchGolden("other").PerEngine().Match(made(trt, 1))
		Expect(err).To(MatchError(ContainSubstring("other@tensorrt-fp16-sm90.json")))
	})

	It("is written for the engine alone where no shared one holds", func() {
		Expect(golden.Write(folder+"net.json", made(ort, 1), golden.Options{})).To(Succeed())
		for _, mode := range []string{"1", "all"} {
			updating(mode)
			Expect(made(trt, 1.001)).To(perEngine())
			Expect(names()).To(Equal([]string{"net.json"}), "it holds, mode %s", mode)
		}
		updating("1")
		Expect(made(trt, 2)).To(perEngine())
		Expect(names()).To(ConsistOf("net.json", "net@tensorrt-fp16-sm90.json"))
		updating("")
		Expect(made(trt, 2)).To(perEngine())
		Expect(made(ort, 1)).To(perEngine(), "whose file was left alone")
	})

	It("needs a run", func() {
		_, err := perEngine().Match(set("y", f32(1)))
		Expect(err).To(MatchError(ContainSubstring("does not name its engine")))
	})
})
