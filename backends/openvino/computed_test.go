package openvino_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
)

var _ = skips.Announce("trained: ", "make trained")

var _ = Describe("What a run was computed in", func() {
	needed()

	It("follows from the precision of each node's kernel", func(ctx SpecContext) {
		int8 := loaders.ONNXBytes("int8.onnx", onnxtest.FewBits(false).Bytes())
		inputs := fixtures.Random(int8, fixtures.Seed(1))
		computed := func(m *loaders.Model, inputs fixtures.Inputs, o ...openvino.Option) string {
			GinkgoHelper()
			run, err := openvino.Run(ctx, m, inputs, o...)
			Expect(err).NotTo(HaveOccurred())
			return run.Provenance.Computed
		}
		for range 2 { // the second run shares the session
			Expect(computed(int8, inputs)).To(Equal(backends.Float32))
		}
		Expect(computed(int8, inputs, openvino.ExecutionMode(openvino.Performance))).To(Equal(
			"int8 in 1 of 1 nodes (dynamic quantization, groups of 32)"))
		if run, err := openvino.Run(ctx, int8, inputs,
			openvino.Precision(openvino.BFloat16)); err == nil { // an error: the processor lacks it
			Expect(run.Provenance.Computed).To(Equal("bf16 in 1 of 1 nodes"))
		}
	})

	DescribeTable("names float64, which OpenVINO narrows and ONNX Runtime does not", func(
		ctx SpecContext, m *loaders.Model, narrowed, kept string) {
		ort.Require(GinkgoT())
		inputs := fixtures.Random(m, fixtures.Seed(1))
		run, err := openvino.Run(ctx, m, inputs)
		Expect(err).NotTo(HaveOccurred())
		other, err := ort.Run(ctx, m, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{run.Provenance.Precision(), other.Provenance.Precision()}).To(
			Equal([]string{"computed in " + narrowed, "computed in " + kept}))
		for _, p := range []backends.Provenance{run.Provenance, other.Provenance} {
			Expect(p.NotFloat32()).To(Succeed())
		}
	},
		Entry("a float64 model", unary("Exp", f64, 2), "float32, even float64 operations",
			"float32, and float64 operations in float64"),
		Entry("float64 inside", model([]onnxtest.Value{io("x", f32, 2)},
			[]onnxtest.Value{io("y", 9, 2)}, nil, node("Cast", names("x"), names("a"),
				number("to", f64)), node("IsNaN", names("a"), names("y"))), "float32, even float64 operations",
			"float32, and float64 operations in float64"),
		Entry("a float32 model", unary("Exp", f32, 2), "float32", "float32"),
	)

	It("is float32 for every trained network", func(ctx SpecContext) {
		skips.Long(GinkgoT())
		cache, err := os.UserCacheDir()
		Expect(err).NotTo(HaveOccurred())
		all, err := filepath.Glob(filepath.Join(cache, "modelparity", "trained", "*.npz"))
		Expect(err).NotTo(HaveOccurred())
		ran := 0
		for _, path := range all {
			run, err := openvino.Run(ctx, loaders.ONNX(path[:len(path)-3]+"onnx"),
				fixtures.Load(path))
			if err != nil { // OpenVINO rejects the network
				continue
			}
			ran++
			Expect(run.Provenance.Computed).To(Equal(backends.Float32), filepath.Base(path))
		}
		if ran == 0 {
			Skip("trained: make trained fetches them")
		}
	})
})
