package digits_test

import (
	"encoding/json"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("digits", Label("backend:onnxruntime", "dtype:fp32"), func() {
	model := loaders.ONNX("testdata/digits.onnx")
	images := fixtures.Load("testdata/heldback.npz") // 360 images not used in training

	limit := SpecTimeout(30 * time.Second)

	BeforeEach(func() { ort.Require(GinkgoT()) })

	// The order of float32 sums changes these outputs by up to 7e-6. A tolerance of 1e-4 leaves room
	// for other processors; a changed weight exceeds it by far.
	It("still gives the outputs we shipped", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, images)).To(
			MatchGolden("digits").Within(1e-4, 1e-4, Elementwise))
	}, limit)

	It("recognises at least 96 % of the held-back digits", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, images)).To(
			HaveTop1Accuracy(labels(), 0.96).OfOutput("logits"))
	}, limit)

	It("gives finite numbers, one row of classes per image", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, images)).To(And(
			BeFinite(),
			HaveOutput("probabilities", HaveShape(360, 10))))
	}, limit)

	It("gives the same answers without graph optimisation", func(ctx SpecContext) {
		Expect(ort.Run(ctx, model, images, ort.OptimizationLevel(ort.OptimizeNone))).To(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).
				ForOutput("probabilities", 1e-5, 0, Max).
				Of(ort.Run(ctx, model, images)))
	}, limit)
})

// labels are the digits in the held-back images.
func labels() (digits []int) {
	GinkgoHelper()
	text, err := os.ReadFile("testdata/labels.json")
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &digits)).To(Succeed())
	return digits
}
