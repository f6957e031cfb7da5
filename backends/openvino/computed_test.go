package openvino_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
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
