package upgrade_test

import (
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

// ONNX Runtime 1.24.4 wrote these golden files. The suite runs with the installed version.
var _ = Describe("after an upgrade of ONNX Runtime", Label("backend:onnxruntime"), func() {
	digits := loaders.ONNX("../digits/testdata/digits.onnx")
	images := fixtures.Load("../digits/testdata/heldback.npz")
	encoder := loaders.ONNX("../dynamic/testdata/encoder.onnx")
	tokens := fixtures.Random(encoder, fixtures.Seed(1), fixtures.Shape("tokens", 3, 7),
		fixtures.ValRange(0, 63))

	limit := SpecTimeout(30 * time.Second)

	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("recognises digits as before", func(ctx SpecContext) {
		Expect(ort.Run(ctx, digits, images)).To(
			MatchGolden("digits").Within(1e-4, 1e-4, Elementwise))
	}, limit)

	It("encodes tokens as before", func(ctx SpecContext) {
		Expect(ort.Run(ctx, encoder, tokens)).To(
			MatchGolden("encoder").Within(1e-5, 1e-5, Elementwise))
	}, limit)

	// Only the library and processor that wrote the file can match it exactly. This spec demonstrates
	// the review of changes.
	It("encodes tokens to the last bit", func(ctx SpecContext) {
		if os.Getenv("UPGRADE_STRICT") == "" {
			Skip("UPGRADE_STRICT is not set: other processors give other bits")
		}
		Expect(ort.Run(ctx, encoder, tokens)).To(MatchGolden("encoder-bits"))
	}, limit)
})
