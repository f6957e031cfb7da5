package decisions_test

import (
	"math"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Ranking", func() {
	expected := func() *tensor.Tensor { return table([]float64{3, 2, 1}, []float64{1, 1.5, 1.6}) }

	It("excuses pairs that are close, and counts those that are not apart", func() {
		f := judged(decisions.Ranking{Margin: 0.2}, table([]float64{3, 2, 1}, []float64{1, 1.6, 1.5}),
			expected())
		Expect(f.Pass).To(BeTrue())
		Expect(counts(f)).To(Equal([]int{6, 0, 1}))
		Expect(f.Flips[0].String()).To(Equal("row 1: 2 not above 1, expected above (margin 0.1)"))
		f = judged(decisions.Ranking{Margin: 0.2}, table([]float64{1, 2, 3}, []float64{2, 1.6, 1.5}),
			expected())
		Expect(counts(f)).To(Equal([]int{6, 5, 1}))
		Expect(f.Flips[0].Margin).To(Equal(2.))
	})

	It("averages its statistics over the rows", func() {
		f := judged(decisions.Ranking{K: 2, Tau: 0.9, NDCG: 0.9}, expected(), expected())
		for _, name := range []string{"Kendall τ", "overlap at 2", "NDCG at 2"} {
			Expect(measured(f, name)).To(BeNumerically("~", 1, 1e-12), name)
		}
		f = judged(decisions.Ranking{Tau: 0.9}, table([]float64{3, 2, 1}, []float64{3, 2, 1}),
			expected())
		Expect(f.Pass).To(BeFalse())
		Expect(f.Reason).To(Equal("Kendall τ is 0, want at least 0.9"))
	})

	It("fails scores that collapse, and NaN", func() {
		Expect(judged(decisions.Ranking{}, table([]float64{1, 1, 1}, []float64{1, 1.5, 1.6}),
			expected()).Unexcused).To(Equal(3))
		Expect(judged(decisions.Ranking{Tau: 0.6}, table([]float64{1, 1, 1}, []float64{1, 1.5, 1.6}),
			expected()).Pass).To(BeFalse())
		f := judged(decisions.Ranking{Margin: 9}, table([]float64{math.NaN(), 1, 1},
			[]float64{1, 1.5, 1.6}), expected())
		Expect(counts(f)).To(Equal([]int{6, 3, 0}))
	})

	It("counts pairs as their definition does", func() {
		r := rand.New(rand.NewPCG(3, 4))
		for range 500 {
			n := 2 + r.IntN(30)
			a, e := make([]float64, n), make([]float64, n)
			for i := range e {
				a[i], e[i] = float64(r.IntN(12)), float64(r.IntN(12))
			}
			margin := float64(r.IntN(4))
			beyond, excused, worst, pairs, apart := 0, 0, 0., 0, false
			for i := range e {
				for j := range e {
					if by := e[i] - e[j]; by > 0 {
						pairs++
						apart = apart || by > margin
						switch {
						case a[i] > a[j]:
						case by > margin:
							beyond++
							worst = max(worst, by)
						default:
							excused++
						}
					}
				}
			}
			if !apart {
				Expect(refused(decisions.Ranking{Margin: margin}, tensor.Of(a...), tensor.Of(e...))).
					To(MatchError(ContainSubstring("could fail")))
				continue
			}
			f := judged(decisions.Ranking{Margin: margin}, tensor.Of(a...), tensor.Of(e...))
			Expect(counts(f)).To(Equal([]int{pairs, beyond, excused}), "%v %v %v", a, e, margin)
			if beyond > 0 {
				Expect(f.Flips[0].Margin).To(Equal(worst))
			}
		}
	})

	It("ranks a hundred thousand places in a moment", func() {
		n := 100_000
		a, e := make([]float64, n), make([]float64, n)
		for i := range e {
			a[i], e[i] = float64(n-i), float64(n-i)
		}
		a[0], a[n-1] = a[n-1], a[0]
		Expect(judged(decisions.Ranking{}, tensor.Of(a...), tensor.Of(e...)).Unexcused).
			To(Equal(2*n - 3))
	})

	DescribeTable("refuses what it could not tell apart",
		func(rule decisions.Ranking, e *tensor.Tensor, says string) {
			Expect(refused(rule, e, e)).To(MatchError(ContainSubstring(says)))
		},
		Entry("all leaders", decisions.Ranking{K: 3}, tensor.Of(3., 2, 1), "overlap at 3 of 3 scores"),
		Entry("no order", decisions.Ranking{}, tensor.Of(1., 1), "scores are equal"),
		Entry("negative gains", decisions.Ranking{K: 1, NDCG: 0.9}, tensor.Of(1., -1),
			"some are negative"),
		Entry("a τ above 1", decisions.Ranking{Tau: 2}, tensor.Of(1., 2),
			"want more than 0 and at most 1"),
		Entry("a τ below the τ of equal scores", decisions.Ranking{Tau: -0.5}, tensor.Of(1., 2),
			"want more than 0 and at most 1"),
		Entry("an overlap without k", decisions.Ranking{Overlap: 0.5}, tensor.Of(1., 2), "k must be"),
	)
})

var _ = Describe("Embeddings", func() {
	expected := func() *tensor.Tensor {
		return table([]float64{1, 0}, []float64{1, 0.1}, []float64{0, 1}, []float64{0.1, 1})
	}

	It("have a least similarity, and neighbours that stay", func() {
		rule := decisions.Embeddings{Cosine: 0.99, K: 1, Neighbours: 0.9}
		f := judged(rule, expected(), expected())
		Expect(f.Pass).To(BeTrue())
		Expect(measured(f, "least cosine")).To(BeNumerically("~", 1, 1e-12))
		moved := table([]float64{0, 1}, []float64{1, 0.1}, []float64{0, 1}, []float64{0.1, 1})
		f = judged(rule, moved, expected())
		Expect(counts(f)).To(Equal([]int{4, 1, 0}))
		Expect(f.Flips[0].String()).To(Equal("row 0: cosine 0, expected at least 0.99"))
		Expect(measured(f, "share of nearest neighbours unchanged or replaced by almost "+
			"equally near rows")).To(BeNumerically("<", 0.9))
	})

	It("excuse neighbours that were as near", func() {
		e := table([]float64{1, 0}, []float64{1, 0.100}, []float64{1, -0.101}, []float64{0, 1})
		a := table([]float64{1, 0}, []float64{1, 0.101}, []float64{1, -0.100}, []float64{0, 1})
		rule := decisions.Embeddings{Cosine: 0.99, K: 1, Neighbours: 1}
		Expect(judged(rule, a, e).Pass).To(BeFalse())
		rule.Margin = 1e-3
		f := judged(rule, a, e)
		Expect(f.Pass).To(BeTrue())
		Expect(measured(f, "share of nearest neighbours replaced by almost equally near rows")).
			To(Equal(0.25))
	})

	It("fail where a row loses its direction", func() {
		for _, v := range []float64{0, math.NaN(), math.Inf(1)} {
			a := table([]float64{v, 0}, []float64{1, 0.1}, []float64{0, 1}, []float64{0.1, 1})
			f := judged(decisions.Embeddings{Cosine: 0.9, K: 1, Neighbours: 0.1}, a, expected())
			Expect(f.Flips[0].String()).To(Equal("row 0: no direction, expected one"))
		}
	})

	It("see tiny and huge rows alike", func() {
		tiny := table([]float64{1e-200, 0}, []float64{1e200, 1e200}, []float64{0, 1})
		Expect(judged(decisions.Embeddings{Cosine: 1}, tiny, tiny).Pass).To(BeTrue())
	})

	DescribeTable("refuse what could not fail",
		func(rule decisions.Embeddings, e *tensor.Tensor, says string) {
			Expect(refused(rule, e, e)).To(MatchError(ContainSubstring(says)))
		},
		Entry("zeros", decisions.Embeddings{Cosine: 0.9}, tensor.Of(0., 0), "has no direction"),
		Entry("all neighbours", decisions.Embeddings{Cosine: 0.9, K: 1, Neighbours: 1},
			table([]float64{1, 0}, []float64{0, 1}), "are always neighbours of each other"),
		Entry("any cosine", decisions.Embeddings{Cosine: -1}, tensor.Of(1., 2), "more than -1"),
		Entry("a margin of nothing", decisions.Embeddings{Cosine: 0.9, Margin: 1}, tensor.Of(1., 2),
			"only the K nearest rows can have a Margin"),
		Entry("any neighbours", decisions.Embeddings{Cosine: 0.9, K: 1}, tensor.Of(1., 2),
			"invalid Neighbours 0"),
	)
})
