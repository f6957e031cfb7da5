package digitsint8_test

import (
	"encoding/json"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
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

	// An elementwise tolerance that eight bits can meet would be too wide to notice a lost layer.
	// So the typical element is held tightly, the worst ones loosely, and each output to what it
	// is for: features to their middle, logits to their tail, probabilities to the worst of them.
	It("stays close to its fp32 self", func(ctx SpecContext) {
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

	It("decides like its fp32 self on 98 of 100 images", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			MatchOutputsWithin(1, 0, Mean).
				ForOutputWith("logits", compare.TopKAgreement(1, 0.98)).
				Of(ort.Run(ctx, fp32, images)))
	}, limit)

	It("loses no more than a point of accuracy", func(ctx SpecContext) {
		Expect(ort.Run(ctx, int8, images)).To(
			HaveTop1Accuracy(labels(), 0.956).OfOutput("logits")) // fp32 has 0.966
	}, limit)
})

// labels are the digits that the held-back images show.
func labels() (digits []int) {
	GinkgoHelper()
	text, err := os.ReadFile("../digits/testdata/labels.json")
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &digits)).To(Succeed())
	return digits
}
