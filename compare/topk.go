package compare

import (
	"fmt"

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
