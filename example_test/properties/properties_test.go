package properties_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

var model = loaders.ONNX("../digits/testdata/digits.onnx")

// sides are ONNX Runtime with and without optimisations, opened once for all inputs.
func sides(t testing.TB) (optimised, plain backends.Backend) {
	t.Helper()
	ort.Require(t)
	g := NewWithT(t)
	open := func(options ...ort.Option) backends.Backend {
		b, err := ort.Engine(options...).Open(t.Context(), model, fixtures.Random(model))
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() { g.Expect(b.Close()).To(Succeed()) })
		return b
	}
	return open(), open(ort.OptimizationLevel(ort.OptimizeNone))
}

// FuzzLevels lets Go's fuzzer choose the batch size and the pixels:
//
//	go test ./example_test/properties -fuzz FuzzLevels
//
// The corpus in testdata/fuzz starts with a file from `modelparity search --save-found`.
func FuzzLevels(f *testing.F) {
	optimised, plain := sides(f)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := search.Decode(model, data)
		if err != nil {
			t.Skip(err)
		}
		if outside(set) {
			t.Skip("no image")
		}
		NewWithT(t).Expect(optimised.Run(t.Context(), fixtures.Of(set))).To(
			MatchOutputs(compare.NormRelative(1e-3)).Of(plain.Run(t.Context(), fixtures.Of(set))))
	})
}

// outside reports whether a pixel is NaN or far outside the range of images.
func outside(set *tensor.Set) bool {
	image, _ := set.Get("image")
	return slices.ContainsFunc(image.Float64s(), func(v float64) bool { return !(math.Abs(v) <= 16) })
}

// TestLevels draws images with rapid, which shrinks failures to the smallest batch and the roundest
// pixels.
func TestLevels(t *testing.T) {
	optimised, plain := sides(t)
	rapid.Check(t, func(t *rapid.T) {
		inputs := images(t)
		NewWithT(t).Expect(optimised.Run(t.Context(), inputs)).To(
			MatchOutputs(compare.NormRelative(1e-3)).Of(plain.Run(t.Context(), inputs)))
	})
}

// images draws a batch of one to four images.
func images(t *rapid.T) fixtures.Inputs {
	n := rapid.IntRange(1, 4).Draw(t, "batch")
	pixels := rapid.SliceOfN(rapid.Float32Range(0, 1), n*64, n*64).Draw(t, "pixels")
	image, err := tensor.New(tensor.Shape{n, 1, 8, 8}, pixels)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tensor.NewSet(tensor.Entry{Name: "image", Tensor: image})
	if err != nil {
		t.Fatal(err)
	}
	return fixtures.Of(set)
}
