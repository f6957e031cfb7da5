package ort_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

const accuracyKey = "session.qdq_matmulnbits_accuracy_level"

var _ = skips.Announce("trained: ", "make trained")

var _ = Describe("What a run was computed in", func() {
	int4 := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
	int8 := loaders.ONNXBytes("int8.onnx", onnxtest.FewBits(false).Bytes())
	ran := func(ctx SpecContext, m *loaders.Model, o ...ort.Option) *backends.Run {
		GinkgoHelper()
		run, err := ort.Run(ctx, m, fixtures.Random(m, fixtures.Seed(1)), o...)
		Expect(err).NotTo(HaveOccurred())
		return run
	}

	It("is float32 for weights of 4 and 8 bits, unless an option allows less",
		func(ctx SpecContext) {
			for _, m := range []*loaders.Model{int4, int8} {
				plain := ran(ctx, m, ort.OptimizationLevel(ort.OptimizeNone))
				Expect(plain.Provenance.Precision()).To(Equal("computed in float32"))
				for _, level := range []ort.Level{ort.OptimizeExtended, ort.OptimizeAll} {
					run := ran(ctx, m, ort.OptimizationLevel(level))
					Expect(run).To(MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(plain))
					Expect(run.Provenance.Computed).To(Equal(backends.Float32))
					Expect(run.Provenance.NotFloat32()).To(Succeed())
				}
				for _, o := range []ort.Option{ort.AccuracyLevel(ort.AccuracyInt8),
					ort.Config(accuracyKey, "4")} {
					run := ran(ctx, m, o)
					Expect(run).NotTo(MatchOutputsWithin(1e-3, 1e-3, Max).Of(plain))
					Expect(run.Provenance.Computed).To(Equal("int8 in 1 MatMulNBits (accuracy level 4)"))
					Expect(run.String()).To(ContainSubstring(
						"computed in float32 except int8 in 1 MatMulNBits"))
					Expect(run.Provenance.NotFloat32()).To(MatchError(ContainSubstring("not a float32 reference")))
				}
			}
			Expect(ran(ctx, int4, ort.AccuracyLevel(ort.AccuracyFloat16)).Provenance.Computed).To(
				Equal("float16 in 1 MatMulNBits (accuracy level 2)"))
		})

	It("follows a model's own accuracy level, and names it", func(ctx SpecContext) {
		own := func(level int64) *loaders.Model {
			return loaders.ONNXBytes("own.onnx", onnxtest.MatMulNBits(level).Bytes())
		}
		plain := ran(ctx, own(1))
		Expect(plain.Provenance.Computed).To(Equal(backends.Float32))
		Expect(ran(ctx, own(0), ort.AccuracyLevel(ort.AccuracyInt8))).To(
			MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(plain))
		for _, level := range []ort.Level{ort.OptimizeNone, ort.OptimizeAll} {
			run := ran(ctx, own(4), ort.OptimizationLevel(level))
			Expect(run.Provenance.Computed).To(Equal(
				"int8 in 1 MatMulNBits (accuracy level 4, set by the model)"))
			Expect(run).NotTo(MatchOutputsWithin(1e-3, 1e-3, Max).Of(plain))
		}
	})

	It("is TF32 if CUDA may use it, and unknown for providers that do not tell",
		func(ctx SpecContext) {
			computed := func(o ...ort.Option) (string, error) {
				return backends.CapabilitiesOf(ort.Engine(o...)).Computed(ctx, digits)
			}
			cuda := ort.Providers("cuda", "cpu")
			Expect(computed(cuda)).To(Equal(backends.Float32))
			Expect(computed(cuda, ort.ProviderOption("cuda", "use_tf32", "1"))).To(Equal(
				"TF32 in CUDA matrix multiplications"))
			Expect(computed(ort.Providers("tensorrt", "cpu"))).To(BeEmpty())
		})

	It("is read from the optimised graph only if it can tell, and once", func(ctx SpecContext) {
		again := onnxtest.FewBits(true)
		again.Producer = "another checksum"
		third := again
		third.Producer = "a third checksum"
		m := loaders.ONNXBytes("int4.onnx", again.Bytes())
		Expect(ran(ctx, m).Provenance.Computed).To(Equal(backends.Float32))
		GinkgoT().Setenv("TMPDIR", "/nowhere") // the optimised graph is written there
		run, err := backends.RunIn(ctx, backends.Unshared(ort.Engine()), m, fixtures.Random(m))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Computed).To(Equal(backends.Float32), "it is kept")
		Expect(ran(ctx, loaders.ONNXBytes("own.onnx", onnxtest.MatMulNBits(4).Bytes()),
			ort.Threads(3)).Provenance.Computed).To(ContainSubstring("int8"), "nothing is fused")
		Expect(ran(ctx, loaders.ONNXBytes("int4.onnx", third.Bytes())).Provenance.Precision()).To(
			Equal("computed in an unknown precision"))
	})

	It("names dynamic quantization and casts that a model lacks", func() {
		value := func(name string, elem int32) onnxtest.Value {
			return onnxtest.Value{Name: name, Elem: elem, Dims: []any{4}}
		}
		to := int64(10)
		graph := func(nodes ...onnxtest.Node) *loaders.Model {
			return loaders.ONNXBytes("m.onnx", onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
				Inputs: []onnxtest.Value{value("x", 1)}, Outputs: []onnxtest.Value{value("y", 1)},
			}}.Bytes())
		}
		plain := graph(onnxtest.Node{Op: "Relu", In: []string{"x"}, Out: []string{"y"}})
		half := graph(
			onnxtest.Node{Op: "Cast", In: []string{"x"}, Out: []string{"h"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: &to}}},
			onnxtest.Node{Op: "Relu", In: []string{"h"}, Out: []string{"y"}})
		dynamic := graph(onnxtest.Node{Op: "DynamicQuantizeLinear", In: []string{"x"},
			Out: []string{"y", "s", "z"}})
		Expect(ort.Beyond(half, plain)).To(Equal([]string{"16-bit floats after 1 Cast nodes " +
			"inserted by the engine"}))
		Expect(ort.Beyond(dynamic, plain)).To(Equal(
			[]string{"int8 in 1 DynamicQuantizeLinear nodes inserted by the engine"}))
		for _, m := range []*loaders.Model{plain, half, dynamic} {
			Expect(ort.Beyond(m, m)).To(BeEmpty(), "the model itself does so")
		}
	})

	It("is float32 for every trained network", func(ctx SpecContext) {
		skips.Long(GinkgoT())
		cache, err := os.UserCacheDir()
		Expect(err).NotTo(HaveOccurred())
		all, err := filepath.Glob(filepath.Join(cache, "modelparity", "trained", "*.onnx"))
		Expect(err).NotTo(HaveOccurred())
		if len(all) == 0 {
			Skip("trained: make trained fetches them")
		}
		for _, path := range all {
			m := loaders.ONNX(path)
			for _, level := range []ort.Level{ort.OptimizeNone, ort.OptimizeAll} {
				engine := ort.Engine(ort.OptimizationLevel(level))
				Expect(backends.CapabilitiesOf(engine).Computed(ctx, m)).To(Equal(backends.Float32),
					strings.TrimSuffix(filepath.Base(path), ".onnx"))
			}
		}
	})
})
