package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("NoWorseThan", func() {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8), fixtures.Iterations(3))

	BeforeEach(func() {
		ort.Require(GinkgoT())
		tract.Require(GinkgoT())
	})

	It("takes the error of a format, and refuses a larger one", func(ctx SpecContext) {
		half, err := tract.Run(ctx, model, inputs, tract.FP16())
		Expect(err).NotTo(HaveOccurred())
		Expect(half).To(NoWorseThan(precision.FP16).Of(ort.Run(ctx, model, inputs)))
		spoiled, err := half.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
			var entries []tensor.Entry
			for name, t := range outputs.All() {
				values := t.Float64s()
				changed := make([]float32, len(values))
				for i, v := range values {
					changed[i] = float32(v * 1.5)
				}
				t, err := tensor.New(t.Shape(), changed)
				if err != nil {
					return nil, err
				}
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
			return tensor.NewSet(entries...)
		})
		Expect(err).NotTo(HaveOccurred())
		m := NoWorseThan(precision.FP16).FalseAlarm(1e-6).Of(ort.Run(ctx, model, inputs))
		Expect(failure(m, spoiled)).To(And(
			ContainSubstring("worse than fp16: rejected by the rms error and "),
			ContainSubstring("error of rounding to fp16: ran digits.onnx 9 times in onnxruntime")))
		Expect(m.String()).To(HaveSuffix("within the rounding errors of fp16, with one false alarm " +
			"in 1000000 comparisons"))
	})

	It("is an error without an engine of float32",
		func(ctx SpecContext) {
			bare := tensor.Of[float32](1, 2)
			half, err := tract.Run(ctx, model, inputs, tract.FP16())
			Expect(err).NotTo(HaveOccurred())
			lower := NoWorseThan(precision.FP16)
			for text, m := range map[string]*FormatMatcher{
				"the expected outputs were read from a file": lower.Of(half.Outputs()),
				"computes in lower precision than the model": lower.Of(half),
				"unknown format": NoWorseThan("fp4").Of(half),
			} {
				_, err := m.Match(half)
				Expect(err).To(MatchError(ContainSubstring(text)))
			}
			_, err = lower.Of(bare).Match(bare)
			Expect(err).To(MatchError(ContainSubstring("neither side can be run again")))
			Expect(half).To(lower.MeasuredIn(ort.Engine()).Of(half.Outputs()))
		})
})
