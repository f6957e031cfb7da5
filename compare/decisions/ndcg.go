package decisions

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/largest"
)

// Overlap returns the fraction of the k largest elements of y that are also among the k largest of
// x.
func Overlap(x, y []float64, k int) (float64, error) {
	if k < 1 || k >= len(y) {
		return 0, fmt.Errorf("overlap: k is %d for %d scores: want 1 ≤ k < %[2]d", k, len(y))
	}
	first, second := largest.Indices(x, k), largest.Indices(y, k)
	both := 0
	for _, i := range second {
		if slices.Contains(first, i) {
			both++
		}
	}
	return float64(both) / float64(k), nil
}

// NDCG returns the normalised discounted cumulative gain at k. It orders the gains by descending
// score and returns
//
//	DCG = Σ gain / log₂(rank + 1), divided by the DCG of the best order
//
// The gains of equal scores are averaged, as in sklearn.metrics.ndcg_score. If all gains are zero,
// the result is 0. A negative gain is an error.
func NDCG(scores, gains []float64, k int) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("ndcg at %d: k must be at least 1", k)
	}
	for i, g := range gains {
		if !(g >= 0) {
			return 0, fmt.Errorf("ndcg: gain %d is %v: it must be zero or positive", i, g)
		}
	}
	best := discounted(gains, gains, k)
	if best == 0 {
		return 0, nil
	}
	return discounted(scores, gains, k) / best, nil
}

// discounted returns the DCG at k in the order of the scores. The gains of equal scores are
// averaged.
func discounted(scores, gains []float64, k int) float64 {
	order := largest.Indices(scores, len(scores))
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
