package decisions

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// RankingReport is how alike two rankings are, averaged over the rows.
type RankingReport struct {
	Rows    int     `json:"rows"`
	Tau     float64 `json:"tau"`     // Kendall's τ-b; NaN where a row is constant
	Overlap float64 `json:"overlap"` // of the k leaders
	NDCG    float64 `json:"ndcg"`    // at k; the expected scores are the gains
}

// Ranking compares the order of the scores in each row along the last axis, with the statistics of
// [KendallTau], [Overlap] and [NDCG]. The expected scores must not be negative, because NDCG takes
// them for gains.
func Ranking(actual, expected *tensor.Tensor, k int) (RankingReport, error) {
	a, e, err := bothRows(actual, expected)
	if err != nil {
		return RankingReport{}, err
	}
	r := RankingReport{Rows: len(e)}
	for row := range e {
		err := errors.Join(finite("actual", row, a[row]), finite("expected", row, e[row]))
		if err != nil {
			return RankingReport{}, err
		}
		overlap, err := Overlap(a[row], e[row], k)
		if err != nil {
			return RankingReport{}, err
		}
		ndcg, err := NDCG(a[row], e[row], k)
		if err != nil {
			return RankingReport{}, err
		}
		r.Tau += KendallTau(a[row], e[row]) / float64(len(e))
		r.Overlap += overlap / float64(len(e))
		r.NDCG += ndcg / float64(len(e))
	}
	return r, nil
}

// KendallTau is Kendall's τ-b of two lists of scores,
//
//	(concordant − discordant) / √((pairs − ties in x)·(pairs − ties in y))
//
// over all pairs, as scipy.stats.kendalltau computes it. It is NaN where a side is constant or has
// fewer than two scores. The lists have one length.
func KendallTau(x, y []float64) float64 {
	var difference, tiesX, tiesY, pairs int
	for i := range x {
		for j := range i {
			pairs++
			dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
			difference += dx * dy
			if dx == 0 {
				tiesX++
			}
			if dy == 0 {
				tiesY++
			}
		}
	}
	return float64(difference) / math.Sqrt(float64(pairs-tiesX)) / math.Sqrt(float64(pairs-tiesY))
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Overlap is the share of the k leaders of y that are among the k leaders of x.
func Overlap(x, y []float64, k int) (float64, error) {
	if k < 1 || k >= len(y) {
		return 0, fmt.Errorf("decisions: overlap at %d of %d scores: want 1 ≤ k < %[2]d", k, len(y))
	}
	first, second := leaders(x, k), leaders(y, k)
	both := 0
	for _, i := range second {
		if slices.Contains(first, i) {
			both++
		}
	}
	return float64(both) / float64(k), nil
}

// NDCG is the normalised discounted cumulative gain at k of the order that scores put gains into,
//
//	DCG = Σ gain / log₂(rank + 1), over that of the best order
//
// with the gains of equal scores averaged, as sklearn.metrics.ndcg_score computes it. Gains of zero
// alone give 0. A negative gain is an error.
func NDCG(scores, gains []float64, k int) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("decisions: ndcg at %d: k must be at least 1", k)
	}
	for i, g := range gains {
		if !(g >= 0) {
			return 0, fmt.Errorf("decisions: ndcg: gain %d is %v, it must be zero or positive", i, g)
		}
	}
	best := discounted(gains, gains, k)
	if best == 0 {
		return 0, nil
	}
	return discounted(scores, gains, k) / best, nil
}

// discounted is the gain at k in the order of the scores; equal scores share their places.
func discounted(scores, gains []float64, k int) float64 {
	order := leaders(scores, len(scores))
	total := 0.0
	for from := 0; from < len(order); {
		to, gain := from, 0.0
		for to < len(order) && scores[order[to]] == scores[order[from]] {
			gain += gains[order[to]]
			to++
		}
		gain /= float64(to - from)
		for rank := from; rank < min(to, k); rank++ {
			total += gain / math.Log2(float64(rank)+2)
		}
		from = to
	}
	return total
}
