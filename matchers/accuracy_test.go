package matchers_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("HaveTop1Accuracy", func() {
	nan := float32(math.NaN())
	scores := func(rows ...[]float32) *tensor.Tensor {
		var flat []float32
		for _, r := range rows {
			flat = append(flat, r...)
		}
		return shaped(f32(flat...), len(rows), len(rows[0]))
	}
	// Classes 2, 0, 1, 2: three of the labels below are right.
	four := func() *tensor.Tensor {
		return scores([]float32{1, 2, 3}, []float32{3, 2, 1}, []float32{1, 3, 2},
			[]float32{-3, -2, -1})
	}
	labels := []int{2, 0, 1, 0}

	It("counts the rows whose greatest score is at the label", func() {
		Expect(four()).To(HaveTop1Accuracy(labels, 0.75))
		Expect(four()).NotTo(HaveTop1Accuracy(labels, 0.76))
		Expect(four()).NotTo(HaveTop1Accuracy(labels, 1))
	})

	It("counts the rows of all iterations together", func() {
		r := run(set("y", scores([]float32{1, 2})), set("y", scores([]float32{2, 1})))
		Expect(r).To(HaveTop1Accuracy([]int{1, 0}, 1))
		Expect(r).NotTo(HaveTop1Accuracy([]int{1, 1}, 1))
	})

	It("takes the named output where there are several", func() {
		r := run(set("a", scores([]float32{1, 2}), "b", scores([]float32{2, 1})))
		Expect(r).To(HaveTop1Accuracy([]int{1}, 1).OfOutput("a"))
		Expect(r).To(HaveTop1Accuracy([]int{0}, 1).OfOutput("b"))
	})

	DescribeTable("decides a row",
		func(row []float32, label int, right bool) {
			Expect(HaveTop1Accuracy([]int{label}, 1).Match(scores(row))).To(Equal(right))
		},
		Entry("the first of equals counts", []float32{1, 5, 5}, 1, true),
		Entry("a later equal does not", []float32{1, 5, 5}, 2, false),
		Entry("NaN is never right, not even at the label", []float32{1, nan, 2}, 1, false),
		Entry("equal scores are never right, not even for class 0", []float32{2, 2, 2}, 0, false),
		Entry("a row with NaN elsewhere is wrong too", []float32{nan, 1, 5}, 2, false),
	)

	It("says how many are right and which rows are not", func() {
		m := HaveTop1Accuracy(labels, 0.9)
		Expect(m.Match(four())).To(BeFalse())
		Expect(m.FailureMessage(nil)).To(Equal("Expected top-1 accuracy\n" +
			"    0.75 (3 of 4 rows; 0.301 to 0.954 with 95 % confidence)\nto be at least\n    0.9\n" +
			"first wrong rows:\n    row 3: class 2, label 0"))
		m = HaveTop1Accuracy([]int{0, 1, 1, 1, 0, 0, 1}, 0.1)
		Expect(m.Match(scores([]float32{1, 0}, []float32{1, 0}, []float32{nan, 0},
			[]float32{1, 0}, []float32{0, 1}, []float32{0, 1}, []float32{1, 0}))).To(BeTrue())
		Expect(m.NegatedFailureMessage(nil)).To(Equal("Expected top-1 accuracy\n" +
			"    0.142857 (1 of 7 rows; 0.0257 to 0.513 with 95 % confidence)\nto be below\n    0.1\n" +
			"first wrong rows:\n    row 1: class 0, label 1\n    row 2: a NaN score, label 1\n" +
			"    row 3: class 0, label 1\n    row 4: class 1, label 0\n    row 5: class 1, label 0\n" +
			"most frequent confusion: class 0 for label 1, in 3 rows"))
	})

	It("takes the lower end of the interval where that is asked for", func() {
		Expect(four()).To(HaveTop1Accuracy(labels, 0.3).Confidently())
		Expect(four()).NotTo(HaveTop1Accuracy(labels, 0.31).Confidently())
		Expect(failure(HaveTop1Accuracy(labels, 0.5).Confidently(), four())).To(ContainSubstring(
			"(3 of 4 rows; 0.301 to 0.954 with 95 % confidence)\nto be at least\n    0.5 with 95 % conf"))
	})

	It("counts labels among the k greatest scores", func() {
		Expect(four()).To(HaveTopKAccuracy(2, []int{1, 1, 2, 1}, 1))
		Expect(four()).NotTo(HaveTopKAccuracy(2, []int{0, 2, 0, 0}, 0.01))
		Expect(scores([]float32{5, 5, 5, 1})).To(HaveTopKAccuracy(2, []int{1}, 1), "ties go to the lower")
		Expect(scores([]float32{5, 5, 5, 1})).NotTo(HaveTopKAccuracy(2, []int{2}, 1))
		Expect(scores([]float32{5, nan, 4, 1})).NotTo(HaveTopKAccuracy(3, []int{0}, 1))
		_, err := HaveTopKAccuracy(3, labels, 0.5).Match(four())
		Expect(err).To(MatchError("HaveTopKAccuracy: k is 3 for rows of 3 scores: want at least 1 " +
			"and fewer than all, because every label counts as right if k covers all scores"))
		_, err = HaveTopKAccuracy(0, labels, 0.5).Match(four())
		Expect(err).To(MatchError(ContainSubstring("k is 0 for rows of 3 scores: want at least 1")))
	})

	It("prints as one line", func() {
		Expect(HaveTopKAccuracy(5, labels, 0.9).Confidently().GomegaString()).To(
			Equal("have top-5 accuracy of at least 0.9 with 95 % confidence"))
	})

	It("starts again with every Match", func() {
		m := HaveTop1Accuracy(labels, 0.75)
		for range 2 {
			Expect(m.Match(four())).To(BeTrue())
			Expect(m.NegatedFailureMessage(nil)).To(ContainSubstring("(3 of 4 rows; "))
		}
	})

	DescribeTable("is misused by",
		func(m func() *AccuracyMatcher, actual func() any, says string) {
			_, err := m().Match(actual())
			Expect(err).To(MatchError("HaveTop1Accuracy: " + says))
		},
		Entry("fewer labels than rows",
			func() *AccuracyMatcher { return HaveTop1Accuracy(labels[:3], 1) },
			func() any { return four() }, "there are more rows of scores than labels (3)"),
		Entry("more labels than rows",
			func() *AccuracyMatcher { return HaveTop1Accuracy(append(labels, 1), 1) },
			func() any { return four() }, "4 rows of scores, but 5 labels"),
		Entry("a label that is not a class",
			func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0, 1, 2, 3}, 1) },
			func() any { return four() }, "label 3 of row 3 is not one of the 3 classes"),
		Entry("a share above one", func() *AccuracyMatcher { return HaveTop1Accuracy(labels, 97) },
			func() any { return four() }, "the required accuracy must be between 0 and 1, got 97"),
		Entry("a share of nothing", func() *AccuracyMatcher { return HaveTop1Accuracy(labels, 0) },
			func() any { return four() },
			"every run has an accuracy of at least 0, so nothing could fail: require more than 0"),
		Entry("one class", func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0, 0}, 1) },
			func() any { return shaped(f32(7, -3), 2, 1) },
			"k is 1 for rows of 1 scores: want at least 1 and fewer than all, because every label "+
				"counts as right if k covers all scores"),
		Entry("a NaN share",
			func() *AccuracyMatcher { return HaveTop1Accuracy(labels, math.NaN()) },
			func() any { return four() }, "the required accuracy must be between 0 and 1, got NaN"),
		Entry("strings", func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1) },
			func() any {
				t, err := tensor.FromStrings(tensor.Shape{1, 1}, []string{"cat"})
				Expect(err).NotTo(HaveOccurred())
				return t
			}, "the scores: want a tensor of numbers"),
		Entry("a 0-d tensor", func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1) },
			func() any { return tensor.Scalar(1.0) }, "the scores: want at least one axis, got float64[]"),
		Entry("several outputs and no name",
			func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1) },
			func() any { return set("a", f32(1), "b", f32(1)) },
			`iteration 0 has 2 outputs ["a" "b"]: select one with OfOutput`),
		Entry("a name that no output has, which OfOutput would not mend",
			func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1).OfOutput("c") },
			func() any { return set("a", f32(1)) },
			`iteration 0 has no output "c", only ["a"]`),
		Entry("no outputs at all", func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1) },
			func() any { return set() }, `iteration 0 has no outputs`),
		Entry("no iterations", func() *AccuracyMatcher { return HaveTop1Accuracy([]int{0}, 1) },
			func() any { return run() },
			"the run has no iterations, so it has no output"),
	)
})
