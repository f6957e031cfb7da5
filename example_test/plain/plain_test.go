package plain_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// TestOptimisationLevels loads the model once per level and compares each with the unoptimised one.
func TestOptimisationLevels(t *testing.T) {
	ort.Require(t)
	model := loaders.ONNX("../digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 16, 1, 8, 8), fixtures.Seed(3))

	expected, err := ort.Run(t.Context(), model, inputs, ort.OptimizationLevel(ort.OptimizeNone))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())

	for _, level := range []ort.Level{ort.OptimizeBasic, ort.OptimizeExtended, ort.OptimizeAll} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel() // each subtest has its own session
			g := NewWithT(t)
			g.Expect(ort.Run(t.Context(), model, inputs, ort.OptimizationLevel(level))).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).
					ForOutput("probabilities", 1e-5, 0, Max).
					Of(expected))
		})
	}
}

// TestEveryRunIsTheSame runs one loaded model twice. With one thread, ONNX Runtime is
// bit-identical, so the tolerance is zero.
func TestEveryRunIsTheSame(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	model := loaders.ONNX("../digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(5))
	backend, err := ort.Engine().Open(t.Context(), model, inputs)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(backend.Close()).To(Succeed()) })

	g.Expect(backend.Run(t.Context(), inputs)).To(
		MatchOutputsWithin(0, 0, Elementwise).Of(backend.Run(t.Context(), inputs)))
}
