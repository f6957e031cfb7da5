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

var _ = Describe("Top-k", func() {
	expected := func() *tensor.Tensor { return table([]float64{1, 5, 4.9}, []float64{9, 0, 1}) }

	It("excuses a flip within the margin, and counts it apart", func() {
		f := judged(decisions.TopK{K: 1, Margin: 0.2},
			table([]float64{1, 4.9, 5}, []float64{0, 0, 1}), expected())
		Expect(counts(f)).To(Equal([]int{2, 1, 1}))
		Expect(f.Pass).To(BeFalse())
		Expect(f.Reason).To(Equal("rows that flip and are not excused by the rule: 1 of 2"))
		Expect(f.Text()).To(Equal("rows that flip and are not excused by the rule: 1 of 2\n" +
			"2 rows; flips: 1 not excused, 1 excused\n" +
			"not excused:\n    row 1: 2, expected 0 (margin 8)\n" +
			"excused:\n    row 0: 2, expected 1 (margin 0.1)\n"))
		Expect(judged(decisions.TopK{K: 1, Margin: 0.2, Flips: 0.5},
			table([]float64{1, 4.9, 5}, []float64{0, 0, 1}), expected()).Pass).To(BeTrue())
	})

	It("takes the margin from the greatest leader that is lost", func() {
		f := judged(decisions.TopK{K: 2, Margin: 2}, tensor.Of(0., 5, 4, 1), tensor.Of(9., 5, 4, 1))
		Expect(f.Flips[0].String()).To(Equal("row 0: 2, expected 0 (margin 5)"))
		Expect(f.Pass).To(BeFalse())
	})

	It("does not take a row without an order for one with an order", func() {
		zeros, first := tensor.Of(0., 0, 0), tensor.Of(3., 2, 1)
		f := judged(decisions.TopK{K: 1}, zeros, first)
		Expect(f.Flips[0].String()).To(Equal("row 0: all scores are equal, expected 0 (margin 2)"))
		Expect(refused(decisions.TopK{K: 1, Margin: 2}, zeros, first)).To(MatchError(`compare: the top ` +
			`1, margin 2 proves nothing about output "y": 0 of 1 rows could fail (a row ` +
			"cannot fail if its scores are equal or differ by at most the margin); use inputs " +
			"about which the model is more certain, or a stricter rule"))
	})

	It("refuses integers that float64 would round, rather than take them for equal", func() {
		a, e := tensor.Of[int64](1<<53, 1<<53+1), tensor.Of[int64](1<<53+1, 1<<53)
		Expect(refused(decisions.TopK{K: 1}, a, e)).To(MatchError(`decisions: the expected "y": ` +
			"element 0 is 9007199254740993, which float64 would round: compare it with a check " +
			"of package compare"))
		Expect(judged(decisions.TopK{K: 1}, tensor.Of[uint64](1<<63, 1<<62),
			tensor.Of[uint64](1<<63, 1<<62)).Pass).To(BeTrue(), "powers of two are exact")
	})

	It("needs no excuse where the numbers are far and the decision the same", func() {
		f := judged(decisions.TopK{K: 1}, table([]float64{0, 90, 0}, []float64{9, 8, 1}), expected())
		Expect(f.Pass).To(BeTrue())
		Expect(counts(f)).To(Equal([]int{2, 0, 0}))
	})

	It("takes the leaders in any order", func() {
		swapped := table([]float64{1, 4.9, 5}, []float64{9, 0, 1})
		Expect(judged(decisions.TopK{K: 2}, swapped, expected()).Pass).To(BeTrue())
	})

	It("takes ties on the expected side for undecided, and their first in order", func() {
		Expect(judged(decisions.TopK{K: 1}, tensor.Of(1., 2, 2.5), tensor.Of(1., 2, 2)).Excused).
			To(Equal(1))
		Expect(judged(decisions.TopK{K: 1}, tensor.Of(1., 2, 2), tensor.Of(1., 3, 2)).Pass).To(BeTrue())
	})

	It("fails a NaN on the actual side, whatever the margin", func() {
		f := judged(decisions.TopK{K: 1, Margin: 1e9}, tensor.Of(math.NaN(), 1), tensor.Of(1., 2))
		Expect(f.Flips[0].String()).To(Equal("row 0: NaN, expected 1"))
		Expect(f.Pass).To(BeFalse())
	})

	It("measures margins between infinities", func() {
		inf := math.Inf(-1)
		f := judged(decisions.TopK{K: 2, Margin: 1}, tensor.Of(3., inf, 0), tensor.Of(3., inf, inf))
		Expect(counts(f)).To(Equal([]int{1, 0, 1}), "masked classes tie")
	})

	It("names the iteration where there are several, and wants as many", func() {
		one, other := set("y", tensor.Of(1., 2)), set("y", tensor.Of(2., 1))
		f, err := decisions.Judge(decisions.TopK{K: 1}, []*tensor.Set{one, one},
			[]*tensor.Set{one, other})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Flips[0].Where).To(Equal("iteration 1, row 0"))
		f, err = decisions.Judge(decisions.TopK{K: 1}, []*tensor.Set{one}, []*tensor.Set{one, other})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Reason).To(Equal("1 iterations, expected 2"))
		Expect(f.Pass).To(BeFalse())
	})

	It("fails a lost output and another shape", func() {
		a, e := []*tensor.Set{set("z", tensor.Of(1., 2))}, []*tensor.Set{set("y", tensor.Of(1., 2))}
		f, err := decisions.Judge(decisions.TopK{K: 1}, a, e)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Reason).To(Equal(`output "y" is missing: iteration 0 has ["z"]`))
		Expect(judged(decisions.TopK{K: 1}, tensor.Of(1., 2, 3), tensor.Of(1., 2)).Reason).
			To(Equal(`the shape of "y" is [3], expected [2]`))
	})

	DescribeTable("refuses what it could not tell apart",
		func(rule decisions.TopK, actual, expected *tensor.Tensor, says string) {
			Expect(refused(rule, actual, expected)).To(MatchError(ContainSubstring(says)))
		},
		Entry("all classes", decisions.TopK{K: 2}, tensor.Of(1., 2), tensor.Of(2., 1),
			"top-2 of 2 classes always includes"),
		Entry("one class", decisions.TopK{K: 1}, tensor.Of(1.), tensor.Of(2.),
			"top-1 of 1 classes always includes"),
		Entry("none", decisions.TopK{}, tensor.Of(1., 2), tensor.Of(2., 1), "k must be at least 1"),
		Entry("NaN", decisions.TopK{K: 1}, tensor.Of(1., 2), tensor.Of(math.NaN(), 1),
			`the expected "y": row 0 contains a NaN at index 0`),
		Entry("a margin that is none", decisions.TopK{K: 1, Margin: math.NaN()}, tensor.Of(1., 2),
			tensor.Of(1., 2), "the margin is NaN"),
		Entry("a margin for everything", decisions.TopK{K: 1, Margin: math.Inf(1)}, tensor.Of(1., 2),
			tensor.Of(1., 2), "the margin is +Inf"),
		Entry("a share for everything", decisions.TopK{K: 1, Flips: 1}, tensor.Of(1., 2),
			tensor.Of(1., 2), "the share is 1"),
		Entry("a scalar", decisions.TopK{K: 1}, tensor.Scalar(1.), tensor.Scalar(1.),
			"at least one axis"),
		Entry("nothing", decisions.TopK{K: 1}, tensor.Of[float32](), tensor.Of[float32](),
			"there is nothing to compare"),
	)

	It("finds the leaders as a stable sort does, however many", func() {
		r := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			n := 2 + r.IntN(150)
			scores := make([]float64, n)
			for i := range scores {
				scores[i] = float64(r.IntN(20))
			}
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(i, j int) int { return int(scores[j] - scores[i]) })
			k := 1 + r.IntN(n-1)
			led := make([]float64, n)
			for _, i := range order[:k] {
				led[i] = 1
			}
			Expect(judged(decisions.TopK{K: k}, tensor.Of(scores...), tensor.Of(led...)).Unexcused).
				To(BeZero(), "%v %d", scores, k)
		}
	})
})
