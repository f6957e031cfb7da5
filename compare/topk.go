package compare

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// topK replaces t by the int64 indices of its k greatest values along an axis, greatest first; ties
// go to the lower index and NaN comes last, as in a stable sort of the negated values.
func topK(t *tensor.Tensor, top TopK) (*tensor.Tensor, error) {
	shape := t.Shape()
	axis := top.Axis
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) {
		return nil, fmt.Errorf("compare: top-%d along axis %d of %v%v: there is no such axis", top.K,
			top.Axis, t.ElementType(), shape)
	}
	if t.ElementType() == tensor.String {
		return nil, fmt.Errorf("compare: top-%d of strings: they have no order here", top.K)
	}
	length := shape[axis]
	k := min(top.K, length)
	stride := 1
	for _, d := range shape[axis+1:] {
		stride *= d
	}
	result := shape.Clone()
	result[axis] = k
	n, err := result.Elements()
	if err != nil {
		return nil, err
	}
	indices := make([]int64, n)
	var best []candidate
	for at := 0; at < n; at++ {
		outer, rest := at/(k*stride), at%(k*stride)
		if rest >= stride {
			continue // not the first of its lane
		}
		best, _ = topOf(t, outer*length*stride+rest, stride, length, k, best)
		for i, c := range best {
			indices[at+i*stride] = int64(c.index)
		}
	}
	return tensor.New(result, indices)
}

// Top keeps the k greatest values along the last axis.
func Top(k int) TopK { return TopK{K: k, Axis: -1} }

// key numbers the values of any numeric type so that keys sort as the values do. ok is false for
// NaN, which has no place.
func key(t *tensor.Tensor, i int) (k int64, ok bool) {
	switch elem := t.ElementType(); {
	case elem.IsFloat():
		v := t.Float64At(i)
		return orderOf(t, i), v == v
	case elem == tensor.Int64:
		return view[int64](t, i, i+1)[0], true
	case elem == tensor.Uint64:
		return int64(view[uint64](t, i, i+1)[0] ^ 1<<63), true
	}
	return int64(t.Float64At(i)), true
}

// candidate is an element of a row on its way to the top.
type candidate struct {
	index  int
	key    int64
	number bool
}

// before orders candidates: greater values first, NaN last, ties by index.
func before(a, b candidate) int {
	switch {
	case a.number != b.number:
		if a.number {
			return -1
		}
		return 1
	case a.number && a.key != b.key:
		if a.key > b.key {
			return -1
		}
		return 1
	}
	return a.index - b.index
}

// topOf is the k first candidates among length elements of t, from start, stride apart, in order.
// hasNaN is whether any element is NaN. It reuses best.
func topOf(t *tensor.Tensor, start, stride, length, k int, best []candidate) (
	top []candidate, hasNaN bool) {
	best = best[:0]
	k = min(k, length)
	for i := range length {
		c := candidate{index: i}
		c.key, c.number = key(t, start+i*stride)
		hasNaN = hasNaN || !c.number
		if len(best) == k && before(best[k-1], c) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, before)
		if len(best) == k {
			best = best[:k-1]
		}
		best = slices.Insert(best, at, c)
	}
	return best, hasNaN
}
