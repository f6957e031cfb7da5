package noise_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
)

// lowered is an ONNX Runtime whose kernels compute products in a lower precision, in all models but
// the small one that [noise.Float32] tries.
type lowered struct {
	backends.Engine
	format precision.Format
}

func (e lowered) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	m, ok := model.(*loaders.Model)
	if ok && m.Name() != "probe.onnx" {
		var err error
		m, err = precision.Round(ctx, backends.Subject{Engine: e.Engine, Model: m, Inputs: inputs},
			e.format)
		if err != nil {
			return nil, err
		}
	}
	return e.Engine.Open(ctx, m, inputs)
}

const (
	encoderFile = "../example_test/dynamic/testdata/encoder.onnx"
	int8File    = "../example_test/digits-int8/testdata/digits_int8.onnx"
)

var _ = Describe("The engine that measures noise", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	subject := func(file string, options ...fixtures.Option) backends.Subject {
		model := loaders.ONNX(file)
		return backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model, options...)}
	}

	DescribeTable("is checked on the model's own products",
		func(ctx SpecContext, file string, products int) {
			Expect(noise.Trusted(ctx, subject(file), nil)).To(Equal(products))
		},
		Entry("digits", digitsFile, 4),
		Entry("digits-int8", int8File, 4),
		Entry("encoder", encoderFile, 6),
	)

	DescribeTable("is refused if it computes them in less than float32",
		func(ctx SpecContext, file string, format precision.Format) {
			s := subject(file)
			if format != "" {
				s.Engine = lowered{ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), format}
			}
			_, err := noise.Measure(ctx, s, noise.In(s.Engine))
			Expect(err).To(MatchError(MatchRegexp(`^noise: .* computes in lower precision than the model, ` +
				`so it cannot be the reference: its errors in \w+ ".*" are \S+ times the usual errors of ` +
				`sums in float32; ` +
				`use a file with stored noise, or, in a spec, choose a different engine with MeasuredIn$`)))
		},
		Entry("digits-int8 in int8", int8File, precision.Format("")), // whose optimiser merges quantizers
		Entry("digits in TF32", digitsFile, precision.TF32),
		Entry("digits in bfloat16", digitsFile, precision.BF16),
		Entry("digits in int8", digitsFile, precision.INT8),
		Entry("encoder in TF32", encoderFile, precision.TF32),
		Entry("encoder in bfloat16", encoderFile, precision.BF16),
	)

	It("is refused if it says that it computes in less than float32", func(ctx SpecContext) {
		own := loaders.ONNXBytes("own.onnx", onnxtest.MatMulNBits(4).Bytes())
		_, err := noise.Measure(ctx, backends.Subject{Model: own, Inputs: fixtures.Random(own)})
		Expect(err).To(MatchError("noise: onnxruntime OptimizationLevel(none) is not a float32 " +
			"reference for own.onnx: computed in float32 except int8 in 1 MatMulNBits (accuracy level " +
			"4, set by the model); use an engine or options that compute in float32"))

		int4 := loaders.ONNXBytes("int4.onnx", onnxtest.FewBits(true).Bytes())
		run, err := ort.Run(ctx, int4, fixtures.Random(int4))
		Expect(err).NotTo(HaveOccurred())
		_, err = noise.Between(run, nil, noise.In(ort.Engine()))
		Expect(err).NotTo(HaveOccurred())
		low := ort.Engine(ort.AccuracyLevel(ort.AccuracyInt8))
		_, err = noise.Between(run, nil, noise.In(low))
		Expect(err).To(MatchError(ContainSubstring("is not a float32 reference for int4.onnx")))
		_, err = noise.Measure(ctx, run.Subject(), noise.In(low))
		Expect(err).To(MatchError(ContainSubstring("is not a float32 reference for int4.onnx")))
		run, err = backends.RunIn(ctx, low, int4, fixtures.Random(int4))
		Expect(err).NotTo(HaveOccurred())
		_, err = noise.Between(run, nil)
		Expect(err).NotTo(HaveOccurred(), "the engine under test may do so")
	})
})
