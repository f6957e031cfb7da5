package decisions

import (
	"cmp"
	"math"
	"slices"
)

// apart returns the number of pairs whose scores differ by more than margin.
func apart(scores []float64, margin float64) (pairs int) {
	sorted := slices.Sorted(slices.Values(scores))
	for _, v := range sorted {
		below, _ := slices.BinarySearch(sorted, limitOf(v, margin))
		pairs += below
	}
	return pairs
}

// equalPairs returns the number of pairs with equal keys among n elements.
func equalPairs[K comparable](n int, key func(i int) K) (pairs int) {
	seen := map[K]int{}
	for i := range n {
		pairs += seen[key(i)]
		seen[key(i)]++
	}
	return pairs
}

func places(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// counter counts how many of the numbers added so far are below a bound. It is a Fenwick tree over
// the numbers' ranks.
type counter struct {
	sorted []float64
	tree   []int
}

func newCounter(values []float64) *counter {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return &counter{sorted, make([]int, len(values)+1)}
}

func (c *counter) add(v float64) {
	at, _ := slices.BinarySearch(c.sorted, v)
	for i := at + 1; i < len(c.tree); i += i & -i {
		c.tree[i]++
	}
}

// below returns how many of the added numbers are less than v.
func (c *counter) below(v float64) (n int) {
	at, _ := slices.BinarySearch(c.sorted, v)
	for i := at; i > 0; i -= i & -i {
		n += c.tree[i]
	}
	return n
}

// disordered counts the pairs whose expected scores differ by more than margin, but whose actual
// scores are not in the same order. It takes O(n log n) time. worst is the one of these pairs whose
// expected scores differ most. Neither side may contain NaN.
func disordered(actual, expected []float64, margin float64) (n int, worst outOfOrder) {
	order := places(len(actual))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(actual[j], actual[i]) })
	above := newCounter(expected) // holds the elements whose actual score is not less
	lowest := -1
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && actual[order[to]] == actual[order[from]] {
			i := order[to]
			above.add(expected[i])
			if lowest < 0 || expected[i] < expected[lowest] {
				lowest = i
			}
			to++
		}
		for _, j := range order[from:to] {
			n += above.below(limitOf(expected[j], margin))
			if by := gap(expected[j], expected[lowest]); expected[j] > expected[lowest] &&
				by > margin && by > worst.margin {
				worst = outOfOrder{j, lowest, by}
			}
		}
		from = to
	}
	return n, worst
}

// limitOf returns score − margin: any lower score differs from the given score by more than margin.
func limitOf(score, margin float64) float64 {
	if margin == 0 || math.IsInf(score, 0) {
		return score
	}
	return score - margin
}

// kendallTau returns Kendall's τ-b of two lists of scores,
//
//	(concordant − discordant) / √((pairs − ties in x)·(pairs − ties in y))
//
// over all pairs, as scipy.stats.kendalltau computes it (Knight's method, in O(n log n)). It
// returns NaN if a list is constant or has fewer than two scores. The lists must have the same
// length and no NaN.
func kendallTau(x, y []float64) float64 {
	n := len(x)
	pairs := n * (n - 1) / 2
	tiesX := equalPairs(n, func(i int) float64 { return x[i] })
	tiesY := equalPairs(n, func(i int) float64 { return y[i] })
	tiesBoth := equalPairs(n, func(i int) [2]float64 { return [2]float64{x[i], y[i]} })
	discordant, _ := disordered(x, y, 0)
	discordant -= tiesX - tiesBoth // disordered counts pairs that only x ties
	difference := pairs - tiesX - tiesY + tiesBoth - 2*discordant
	// One root, because the product of two would not give exactly 1 for equal lists.
	return float64(difference) / math.Sqrt(float64(pairs-tiesX)*float64(pairs-tiesY))
}
