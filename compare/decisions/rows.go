package decisions

import (
	"container/heap"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// rows splits a tensor of scores into rows along the last axis.
func rows(what string, t *tensor.Tensor) ([][]float64, error) {
	values, err := numbers(what, t)
	if err != nil {
		return nil, err
	}
	shape := t.Shape()
	if len(shape) == 0 {
		return nil, fmt.Errorf("%s: want at least one axis, got %v%v", what, t.ElementType(), shape)
	}
	if t.Len() == 0 {
		return nil, fmt.Errorf("%s %v%v is empty, so nothing is decided", what, t.ElementType(), shape)
	}
	return split(values, shape[len(shape)-1]), nil
}

// finite returns an error if a row contains NaN, and thus has no order.
func finite(what string, row int, values []float64) error {
	if i := slices.IndexFunc(values, math.IsNaN); i >= 0 {
		return fmt.Errorf("%s: row %d has a NaN at %d, so nothing is decided there", what, row, i)
	}
	return nil
}

// argmax returns the index of the greatest value; ties go to the lower index, as in NumPy.
func argmax(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// gap returns the distance between two scores. It is 0 for equal infinities.
func gap(x, y float64) float64 {
	if x == y {
		return 0
	}
	return math.Abs(x - y)
}

// leaders returns the indices of the k greatest values, greatest first; ties go to the lower index.
func leaders(values []float64, k int) []int {
	if k < len(values)/8 {
		return topLeaders(values, k)
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case values[i] > values[j]:
			return -1
		case values[i] < values[j]:
			return 1
		}
		return 0
	})
	return order[:k]
}

// lowest is a heap of the leaders' indices, with the least value on top.
type lowest struct {
	of      []float64
	indices []int
}

func (h *lowest) Len() int      { return len(h.indices) }
func (h *lowest) Swap(i, j int) { h.indices[i], h.indices[j] = h.indices[j], h.indices[i] }
func (h *lowest) Push(i any)    { h.indices = append(h.indices, i.(int)) }
func (h *lowest) Less(i, j int) bool {
	x, y := h.of[h.indices[i]], h.of[h.indices[j]]
	return x < y || x == y && h.indices[i] > h.indices[j]
}

func (h *lowest) Pop() any {
	last := h.indices[len(h.indices)-1]
	h.indices = h.indices[:len(h.indices)-1]
	return last
}

// topLeaders does the work of leaders: it looks at every value once, and sorts only the leaders.
func topLeaders(values []float64, k int) []int {
	h := &lowest{values, make([]int, 0, k)}
	for i, v := range values {
		switch {
		case len(h.indices) < k:
			heap.Push(h, i)
		case v > values[h.indices[0]]:
			h.indices[0] = i
			heap.Fix(h, 0)
		}
	}
	best := make([]int, k)
	for i := range best {
		best[k-1-i] = heap.Pop(h).(int)
	}
	return best
}
