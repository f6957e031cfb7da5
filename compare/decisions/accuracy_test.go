package decisions_test

import (
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A loss of accuracy", func() {
	// classes is scores that name these classes, of three.
	classes := func(all []int) *tensor.Tensor {
		rows := make([][]float64, len(all))
		for i, class := range all {
			rows[i] = make([]float64, 3)
			rows[i][class] = 1
		}
		return table(rows...)
	}
	// named is n classes, wrong in the rows from..to of which the labels are 1.
	named := func(n, from, to int) []int {
		all := make([]int, n)
		for i := range all {
			if all[i] = 1; i >= from && i < to {
				all[i] = 2
			}
		}
		return all
	}

	It("needs as many rows as the claim is strong", func() {
		labels := named(100, 0, 0)
		same := classes(named(100, 50, 100))
		Expect(refused(decisions.AccuracyLoss{Labels: labels, Most: 0.02}, same, same)).
			To(MatchError("decisions: top-1 accuracy on 100 labels, at most 2 % lost with 95 % " +
				"confidence: the expected run itself does not meet the limit: upper bound of the loss at " +
				"95 % confidence is 0.02634, want at most 0.02; set a different limit, or use more inputs"))
		Expect(judged(decisions.AccuracyLoss{Labels: labels, Most: 0.03}, same, same).Pass).To(BeTrue())
		labels = named(268, 0, 0)
		Expect(judged(decisions.AccuracyLoss{Labels: labels, Most: 0.01}, classes(labels),
			classes(labels)).Pass).To(BeTrue(), "268 rows suffice for 1 %")
	})

	It("counts lost and won rows", func() {
		labels := named(100, 0, 0)
		expected, actual := named(100, 40, 42), named(100, 50, 55)
		f := judged(decisions.AccuracyLoss{Labels: labels, Most: 0.2}, classes(actual),
			classes(expected))
		Expect([]float64{measured(f, "rows lost"), measured(f, "rows won")}).To(Equal([]float64{5, 2}))
		Expect(f.Notes).To(HaveLen(6))
		Expect(f.Notes[0]).To(Equal("newly wrong: row 50, class 2 for label 1"))
		Expect(f.Notes[5]).To(Equal("accuracy: actual 0.95 (0.8882 to 0.9785 at 95 % confidence), " +
			"expected 0.98 (0.93 to 0.9945 at 95 % confidence)"))
		Expect(f.Pass).To(BeTrue())
	})

	It("keeps its confidence where few rows differ", func() {
		r := rand.New(rand.NewPCG(7, 8))
		const n, draws, loss, won = 150, 4000, 0.02, 0.005
		covered := 0
		for range draws {
			b, c := 0, 0
			for range n {
				switch v := r.Float64(); {
				case v < loss+won:
					b++
				case v < loss+2*won:
					c++
				}
			}
			if decisions.LossBound(n, b, c) >= loss {
				covered++
			}
		}
		Expect(float64(covered) / draws).To(BeNumerically(">", 0.94))
	})

	It("grows with every row lost, and falls with every row won", func() {
		for lost := range 20 {
			Expect(decisions.LossBound(200, lost+1, 5)).To(
				BeNumerically(">", decisions.LossBound(200, lost, 5)))
			Expect(decisions.LossBound(200, 5, lost+1)).To(
				BeNumerically("<", decisions.LossBound(200, 5, lost)))
		}
	})

	DescribeTable("refuses what it cannot judge", func(rule decisions.AccuracyLoss, says string) {
		t := classes([]int{1, 2})
		Expect(refused(rule, t, t)).To(MatchError(ContainSubstring(says)))
	},
		Entry("no labels", decisions.AccuracyLoss{Most: 0.1}, "no labels"),
		Entry("fewer labels", decisions.AccuracyLoss{Labels: []int{1}, Most: 0.1},
			"more rows of scores than labels (1)"),
		Entry("more labels", decisions.AccuracyLoss{Labels: []int{1, 1, 1}, Most: 0.1},
			"2 rows of scores, but 3 labels"),
		Entry("another label", decisions.AccuracyLoss{Labels: []int{1, 3}, Most: 0.1},
			"label 3 of row 1 is not one of the 3 classes"),
		Entry("all classes", decisions.AccuracyLoss{Labels: []int{1, 1}, K: 3, Most: 0.1},
			"k is 3 for rows of 3 scores: want at least 1 and fewer than all"),
		Entry("no loss", decisions.AccuracyLoss{Labels: []int{1, 1}}, "no number of rows can prove"),
		Entry("any loss", decisions.AccuracyLoss{Labels: []int{1, 1}, Most: 1}, "the share is 1"),
	)

	It("fails a NaN that was right", func() {
		labels := []int{1, 1}
		f := judged(decisions.AccuracyLoss{Labels: labels, Most: 0.9},
			table([]float64{0, math.NaN(), 0}, []float64{0, 1, 0}), classes(labels))
		Expect(measured(f, "rows lost")).To(Equal(1.))
	})
})

var _ = Describe("Mean precision", func() {
	// images is n images with an object each, found with a chance.
	images := func(n int, chance float64) []decisions.Labelled {
		r := rand.New(rand.NewPCG(9, 10))
		all := make([]decisions.Labelled, n)
		for i := range all {
			box, class := decisions.Box{0, 0, 50, 50}, r.IntN(3)
			all[i].Truth = []decisions.Truth{{Box: box, Class: class}}
			all[i].Found = []decisions.Detection{{Box: box, Class: class, Score: r.Float64()}}
			if r.Float64() > chance {
				all[i].Found[0].Class = (class + 1) % 3
			}
		}
		return all
	}

	It("is COCO's AP, within its interval", func() {
		set := images(60, 0.7)
		e, err := decisions.AveragePrecision(set)
		Expect(err).NotTo(HaveOccurred())
		Expect(e.Value).To(BeNumerically("~", decisions.COCO(set).AP, 1e-12))
		Expect(e.Least).To(BeNumerically("<", e.Value))
		Expect(e.Most).To(BeNumerically(">", e.Value))
		Expect(e.Most - e.Least).To(BeNumerically("~", 0.25, 0.15))
		again, err := decisions.AveragePrecision(set)
		Expect(err).NotTo(HaveOccurred())
		Expect(again).To(Equal(e), "the draws are the same")
	})

	It("refuses a single image, and images of nothing", func() {
		_, err := decisions.AveragePrecision(images(1, 1))
		Expect(err).To(MatchError(ContainSubstring("want at least two images")))
		_, err = decisions.AveragePrecision(make([]decisions.Labelled, 5))
		Expect(err).To(MatchError(ContainSubstring("want at least two images and one labelled object")))
	})

	It("bounds a loss by a paired bootstrap", func() {
		set := images(60, 1)
		layout := decisions.Layout{Packed: "y", Columns: "x0 y0 x1 y1 score class"}
		detected := func(wrong int) *tensor.Tensor {
			rows := make([]float64, 0, 6*len(set))
			for i, image := range set {
				d := image.Found[0]
				if i < wrong {
					d.Class = 7
				}
				rows = append(rows, d.Box[0], d.Box[1], d.Box[2], d.Box[3], d.Score, float64(d.Class))
			}
			return shaped(tensor.Shape{len(set), 1, 6}, rows...)
		}
		truth := make([][]decisions.Truth, len(set))
		for i := range set {
			truth[i] = set[i].Truth
		}
		rule := decisions.AveragePrecisionLoss{Layout: layout, Truth: truth, Most: 0.2}
		f := judged(rule, detected(6), detected(0))
		Expect(f.Pass).To(BeTrue())
		Expect(measured(f, "drop in AP")).To(BeNumerically("~", 0.1, 0.05))
		Expect(measured(f, "upper bound of the loss at 95 % confidence")).
			To(BeNumerically("~", 0.16, 0.06))
		Expect(judged(rule, detected(20), detected(0)).Pass).To(BeFalse())

		// The interval, and so the verdict, is the same for the images in another order.
		bound := measured(f, "upper bound of the loss at 95 % confidence")
		interval := again(decisions.AveragePrecision(set))
		wrongLast := func(wrong int) *tensor.Tensor { return rowsReversed(detected(wrong)) }
		slices.Reverse(rule.Truth)
		reversed := judged(rule, wrongLast(6), wrongLast(0))
		Expect(measured(reversed, "upper bound of the loss at 95 % confidence")).To(Equal(bound))
		Expect(reversed.Notes).To(Equal(f.Notes))
		slices.Reverse(rule.Truth)
		mirrored := slices.Clone(set)
		slices.Reverse(mirrored)
		Expect(again(decisions.AveragePrecision(mirrored))).To(Equal(interval))
		rule.Truth = truth[:10]
		Expect(refused(rule, detected(0), detected(0))).To(
			MatchError(ContainSubstring("the run has 60 images, but 10 are labelled")))
	})
})

// again is the estimate, which must not be an error.
func again(e decisions.Estimate, err error) decisions.Estimate {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return e
}

// rowsReversed is the rows along the first axis in reverse order.
func rowsReversed(t *tensor.Tensor) *tensor.Tensor {
	rows := slices.Collect(slices.Chunk(t.Float64s(), t.Len()/t.Shape()[0]))
	slices.Reverse(rows)
	return shaped(t.Shape(), slices.Concat(rows...)...)
}
