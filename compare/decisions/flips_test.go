package decisions_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Top-k", func() {
	expected := func() *tensor.Tensor { return table([]float64{1, 5, 4.9}, []float64{9, 0, 1}) }

	It("excuses a flip within the margin, and counts it", func() {
		r, err := decisions.TopK(table([]float64{1, 4.9, 5}, []float64{9, 0, 1}), expected(),
			1, true, 0.2)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Count).To(Equal(decisions.Count{Rows: 2, Flips: 1, Excused: 1}))
		Expect(r.Unexcused()).To(BeZero())
		Expect(r.Flipped[0].String()).To(Equal("row 0: 2, expected 1 (margin 0.1, excused)"))
	})

	It("does not excuse one beyond it", func() {
		r, err := decisions.TopK(table([]float64{1, 5, 4.9}, []float64{0, 0, 1}), expected(),
			1, true, 0.2)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Unexcused()).To(Equal(1))
		Expect(r.Flipped).To(Equal([]decisions.Flip{{Row: 1, Actual: 2, Expected: 0, Margin: 8}}))
	})

	It("looks at the order where that is asked for", func() {
		swapped := table([]float64{1, 4.9, 5}, []float64{9, 0, 1})
		any, err := decisions.TopK(swapped, expected(), 2, false, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(any.Count.Flips).To(BeZero())
		ordered, err := decisions.TopK(swapped, expected(), 2, true, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(ordered.Count.Flips).To(Equal(1))
	})

	DescribeTable("refuses what it could not tell apart",
		func(actual, expected *tensor.Tensor, k int, margin float64, says string) {
			_, err := decisions.TopK(actual, expected, k, false, margin)
			Expect(err).To(MatchError(ContainSubstring(says)))
		},
		Entry("all classes", tensor.Of(1., 2), tensor.Of(2., 1), 2, 0., "top-2 of 2 classes is always"),
		Entry("one class", tensor.Of(1.), tensor.Of(2.), 1, 0., "top-1 of 1 classes is always"),
		Entry("none", tensor.Of(1., 2), tensor.Of(2., 1), 0, 0., "k must be at least 1"),
		Entry("NaN", tensor.Of(math.NaN(), 1), tensor.Of(1., 2), 1, 0., "actual: row 0 has a NaN at 0"),
		Entry("shapes", tensor.Of(1., 2), tensor.Of(1., 2, 3), 1, 0., "the shapes differ"),
		Entry("a margin that is none", tensor.Of(1., 2), tensor.Of(1., 2), 1, math.NaN(), "the margin"),
		Entry("a scalar", tensor.Scalar(1.), tensor.Scalar(1.), 1, 0., "at least one axis"),
		Entry("nothing", tensor.Of[float32](), tensor.Of[float32](), 1, 0., "nothing is decided"),
	)
})

var _ = Describe("Detections", func() {
	cat := decisions.Detection{Box: decisions.Box{0, 0, 10, 10}, Score: 0.9, Class: 1}
	dog := decisions.Detection{Box: decisions.Box{50, 50, 80, 90}, Score: 0.8, Class: 2}
	faint := decisions.Detection{Box: decisions.Box{200, 0, 220, 20}, Score: 0.51, Class: 1}
	rule := decisions.DetectionRule{IoU: 0.5, Score: 0.5, Margin: 0.02}
	compared := func(actual, expected []decisions.Detection) decisions.DetectionsReport {
		GinkgoHelper()
		r, err := decisions.Detections(actual, expected, rule)
		Expect(err).NotTo(HaveOccurred())
		return r
	}

	It("match in any order, and say how far they moved", func() {
		moved := cat
		moved.Box[2], moved.Score = 11, 0.85
		r := compared([]decisions.Detection{dog, moved}, []decisions.Detection{cat, dog})
		Expect(r.Pass()).To(BeTrue())
		Expect(r.Matched).To(Equal(2))
		Expect(r.WorstIoU).To(BeNumerically("~", 100./110, 1e-12))
		Expect(r.WorstBox).To(Equal(1.))
		Expect(r.WorstScore).To(BeNumerically("~", 0.05, 1e-12))
	})

	It("name what is lost and what is extra", func() {
		r := compared([]decisions.Detection{dog}, []decisions.Detection{cat})
		Expect(r.Pass()).To(BeFalse())
		Expect(r.Lost).To(Equal([]decisions.Detection{cat}))
		Expect(r.Extra).To(Equal([]decisions.Detection{dog}))
	})

	It("excuse what lies at the score's threshold", func() {
		without := compared([]decisions.Detection{cat}, []decisions.Detection{cat, faint})
		Expect(without.Pass()).To(BeTrue())
		r := compared([]decisions.Detection{cat, faint}, []decisions.Detection{cat})
		Expect(r.Pass()).To(BeTrue())
		Expect(r.Excused).To(Equal(1))
	})

	It("tell another class from another box", func() {
		wolf := dog
		wolf.Class = 3
		r := compared([]decisions.Detection{wolf}, []decisions.Detection{dog})
		Expect(r.Flips).To(HaveLen(1))
		Expect(r.Lost).To(BeEmpty())
		Expect(r.Pass()).To(BeFalse())
	})

	It("are read from a detector's outputs", func() {
		boxes, err := tensor.New(tensor.Shape{1, 2, 4}, []float32{5, 5, 10, 10, 0, 0, 0, 0})
		Expect(err).NotTo(HaveOccurred())
		found, err := decisions.DetectionsOf(boxes, tensor.Of[float32](0.5, 0), tensor.Of[int64](7, 0),
			decisions.CenterSize, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(Equal([]decisions.Detection{{Box: decisions.Box{0, 0, 10, 10}, Score: 0.5,
			Class: 7}}))
		_, err = decisions.DetectionsOf(boxes, tensor.Of[float32](0.5), tensor.Of[int64](7),
			decisions.Corners, -1)
		Expect(err).To(MatchError(ContainSubstring("do not describe the same boxes")))
		_, err = decisions.DetectionsOf(tensor.Of(0., 0, math.NaN(), 1), tensor.Of(1.), tensor.Of(1.),
			decisions.Corners, -1)
		Expect(err).To(MatchError(ContainSubstring("detection 0 is not finite")))
	})
})

var _ = Describe("Masks", func() {
	expected := func() *tensor.Tensor {
		t, err := tensor.New(tensor.Shape{1, 3, 4}, []int64{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1})
		Expect(err).NotTo(HaveOccurred())
		return t
	}

	It("excuse pixels beside a boundary alone", func() {
		actual, err := tensor.New(tensor.Shape{1, 3, 4}, []int64{1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1})
		Expect(err).NotTo(HaveOccurred())
		r, err := decisions.Mask(actual, expected(), 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Differing).To(Equal(2))
		Expect(r.Excused).To(Equal(1)) // column 1 touches class 1, column 0 does not
		Expect(r.Agreement).To(BeNumerically("~", 10./12, 1e-12))
		Expect(r.MeanIoU).To(BeNumerically("~", (4./6+6./8)/2, 1e-12))
	})

	It("refuse a mask without a decision, and scores", func() {
		flat, err := tensor.New(tensor.Shape{2, 2}, []int64{1, 1, 1, 1})
		Expect(err).NotTo(HaveOccurred())
		_, err = decisions.Mask(flat, flat, 0)
		Expect(err).To(MatchError(ContainSubstring("every expected pixel is of class 1")))
		_, err = decisions.Mask(table([]float64{1, 2}), table([]float64{1, 2}), 0)
		Expect(err).To(MatchError(ContainSubstring("take the argmax")))
	})
})

var _ = Describe("Tokens", func() {
	It("show both continuations from the first difference on", func() {
		r, err := decisions.Tokens([]int{1, 2, 9, 4}, []int{1, 2, 3, 4, 5})
		Expect(err).NotTo(HaveOccurred())
		Expect(r).To(Equal(decisions.TokensReport{Length: 5, Common: 2, Edits: 2, Differs: true,
			Actual: []int{9, 4}, Expected: []int{3, 4, 5}}))
	})

	It("agree with a recursive definition of the distance", func() {
		var slow func(x, y []rune) int
		slow = func(x, y []rune) int {
			if len(x) == 0 || len(y) == 0 {
				return len(x) + len(y)
			}
			if x[0] == y[0] {
				return slow(x[1:], y[1:])
			}
			return 1 + min(slow(x[1:], y), slow(x, y[1:]), slow(x[1:], y[1:]))
		}
		for _, x := range []string{"", "a", "kitten", "sitting", "flaw", "lawn", "aaaa"} {
			for _, y := range []string{"", "b", "sitten", "lawns", "aab"} {
				Expect(decisions.EditDistance([]rune(x), []rune(y))).To(
					Equal(slow([]rune(x), []rune(y))), "%q %q", x, y)
			}
		}
	})

	It("refuse an expected sequence of nothing", func() {
		_, err := decisions.Tokens([]int{1}, nil)
		Expect(err).To(MatchError(ContainSubstring("no tokens")))
	})
})

var _ = Describe("Embeddings", func() {
	It("have a least similarity, and neighbours that stay", func() {
		expected := table([]float64{1, 0}, []float64{1, 0.1}, []float64{0, 1}, []float64{0.1, 1})
		r, err := decisions.Embeddings(expected, expected, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Least).To(BeNumerically("~", 1, 1e-12))
		Expect(r.Neighbours).To(BeNumerically("~", 1, 1e-12))
		actual := table([]float64{0, 1}, []float64{1, 0.1}, []float64{0, 1}, []float64{0.1, 1})
		r, err = decisions.Embeddings(actual, expected, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.LeastRow).To(BeZero())
		Expect(r.Least).To(BeNumerically("~", 0, 1e-12))
		Expect(r.Neighbours).To(BeNumerically("<", 1))
	})

	It("refuse rows without a direction, and neighbours that cannot change", func() {
		some := table([]float64{1, 0}, []float64{0, 0}, []float64{1, 1})
		_, err := decisions.Embeddings(some, some, 0)
		Expect(err).To(MatchError(ContainSubstring("a row of zeros has no direction")))
		two := table([]float64{1, 0}, []float64{0, 1})
		_, err = decisions.Embeddings(two, two, 1)
		Expect(err).To(MatchError(ContainSubstring("always the same")))
	})

	It("see tiny and huge rows alike", func() {
		tiny := table([]float64{1e-200, 0}, []float64{1e200, 1e200}, []float64{0, 1})
		r, err := decisions.Embeddings(tiny, tiny, 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Least).To(BeNumerically("~", 1, 1e-12))
	})
})

var _ = Describe("No worse than", func() {
	scores := func(right int, of int) (*tensor.Tensor, []int) {
		rows, labels := make([][]float64, of), make([]int, of)
		for i := range rows {
			rows[i] = []float64{0, 1, 0}
			if i < right {
				labels[i] = 1
			}
		}
		return table(rows...), labels
	}

	It("needs as many rows as the claim is strong", func() {
		same, labels := scores(50, 100)
		r, err := decisions.NoWorseThan(same, same, labels, 1, 0.01)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Pass).To(BeFalse(), "100 rows that agree leave 3 % open")
		Expect(r.Greatest).To(Equal(0.03))
		r, err = decisions.NoWorseThan(same, same, labels, 1, 0.05)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Pass).To(BeTrue())
	})

	It("counts lost and won rows", func() {
		expected, labels := scores(50, 100)
		rows := make([][]float64, 100)
		for i := range rows {
			rows[i] = []float64{0, 1, 0}
			if i < 5 {
				rows[i] = []float64{0, 0, 1} // lost
			} else if i >= 98 {
				rows[i] = []float64{1, 0, 0} // won
			}
		}
		r, err := decisions.NoWorseThan(table(rows...), expected, labels, 1, 0.02)
		Expect(err).NotTo(HaveOccurred())
		Expect([]int{r.Lost, r.Won}).To(Equal([]int{5, 2}))
		Expect(r.Greatest).To(BeNumerically("~", 0.03+1.6448536*math.Sqrt(7-0.09)/100, 1e-6))
		Expect(r.Pass).To(BeFalse())
	})
})

var _ = It("Ranking averages its statistics over the rows", func() {
	e := table([]float64{3, 2, 1}, []float64{1, 2, 3})
	r, err := decisions.Ranking(e, e, 2)
	Expect(err).NotTo(HaveOccurred())
	Expect(r.Rows).To(Equal(2))
	Expect([]float64{r.Tau, r.Overlap, r.NDCG}).To(HaveEach(BeNumerically("~", 1, 1e-12)))
	_, err = decisions.Ranking(e, e, 3)
	Expect(err).To(MatchError(ContainSubstring("overlap at 3 of 3 scores")))
})
