package digitsint8_test

import (
	"encoding/json"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/ginkgoreport"
)

var _ = Describe("digits in int8", Label("backend:onnxruntime", "dtype:int8"), func() {
	fp32 := loaders.ONNX("../digits/testdata/digits.onnx")
	int8 := loaders.ONNX("testdata/digits_int8.onnx")
	images := fixtures.Load("../digits/testdata/heldback.npz")

	limit := SpecTimeout(30 * time.Second)

	BeforeEach(func() { ort.Require(GinkgoT()) })

	// Engines round some numbers to the neighbouring of 256 steps, which moves the mean logit by 0.015
	// and no logit by more than a step, 0.32. A single wrong weight moves more.
	It("still gives the outputs we shipped", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			MatchGolden("digits_int8").Within(0.01, 0, Mean).
				ForOutputWith("logits",
					compare.Within(0.04, 0, compare.Mean),
					compare.Within(0.5, 0, compare.Max)))
	}, limit)

	// An elementwise tolerance wide enough for eight bits would miss a lost layer. So the typical
	// element has a tight tolerance and the worst ones a loose one, and each output is checked by a
	// suitable statistic: features by their median, logits by their tail, probabilities by their
	// maximum.
	It("stays close to the fp32 model", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			MatchOutputsWithin(0.05, 0, Median).
				ForOutputWith("logits",
					compare.Within(0.3, 0, compare.Mean),
					compare.Within(1, 0, compare.Quantile(0.99)),
					compare.CosineSimilarity(0.995)).
				ForOutput("probabilities", 0.2, 0, Max).
				ReportTo(ginkgoreport.Attach).
				Of(ort.Run(ctx, fp32, images)))
	}, limit)

	It("decides like the fp32 model on 98 of 100 images", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			MatchDecisions(decisions.TopK{K: 1, Output: "logits", Flips: 0.02}).
				Of(ort.Run(ctx, fp32, images)))
	}, limit)

	It("loses no more than a point of accuracy", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			HaveTop1Accuracy(labels(), 0.956).OfOutput("logits")) // fp32 has 0.966
	}, limit)
})

// labels are the digits in the held-back images.
func labels() (digits []int) {
	GinkgoHelper()
	text, err := os.ReadFile("../digits/testdata/labels.json")
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &digits)).To(Succeed())
	return digits
}
