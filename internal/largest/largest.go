// Package largest finds the largest values of a row.
package largest

import (
	"cmp"
	"slices"
)

// Indices returns the indices of the k largest values, largest first. NaN comes last, and ties go
// to the lower index. If k is small, it reads every value once and sorts only the k largest;
// otherwise it sorts all values.
func Indices[T cmp.Ordered](values []T, k int) []int {
	largestFirst := func(i, j int) int {
		return cmp.Or(cmp.Compare(values[j], values[i]), cmp.Compare(i, j))
	}
	sorted := k
	if k >= len(values)/8 {
		sorted = len(values)
	}
	order := make([]int, sorted)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, largestFirst)
	for i := sorted; i < len(values); i++ {
		if k > 0 && cmp.Less(values[order[k-1]], values[i]) {
			at, _ := slices.BinarySearchFunc(order, i, largestFirst)
			copy(order[at+1:], order[at:k-1])
			order[at] = i
		}
	}
	return order[:k]
}
