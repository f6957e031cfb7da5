package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/largest"
	"github.com/modelparity/modelparity/tensor"
)

// topKOf replaces both sides by the indices of their largest values. Equal indices can be a
// coincidence, for example if a row is constant on only one side. In such a case, topKOf returns
// the reason why the output fails.
func (c *Comparer) topKOf(out *Output) (reason string, err error) {
	top, ok := c.topKFor(out.Name)
	if !ok {
		return "", nil
	}
	actual, orderings, err := topK(out.Actual, top, "actual")
	if err != nil {
		return "", err
	}
	expected, expectedOrderings, err := topK(out.Expected, top, "expected")
	if err != nil {
		return "", err
	}
	out.Actual, out.Expected = actual, expected
	if !actual.Shape().Equal(expected.Shape()) || len(orderings) == 0 {
		return "", nil
	}
	ordered := false
	for i, row := range orderings {
		ordered = ordered || !row.flat
		if row != expectedOrderings[i] {
			return fmt.Sprintf("%v, row %d: the actual row %v, but the expected row %v", top, i, row,
				expectedOrderings[i]), nil
		}
	}
	if !ordered {
		return "", top.hollow("every row is constant, so no value ranks above another")
	}
	return "", nil
}

// ordering describes a row's values. Top indices alone are not enough to compare two rows: ties and
// NaN are ordered by index, so a row of ties or NaN can have the same top indices as a row of
// different numbers.
type ordering struct {
	flat    bool // all values of the row are equal
	numbers int  // how many values of the row, or of its k largest, are not NaN
}

func (o ordering) String() string {
	if o.flat {
		return "is constant"
	}
	return fmt.Sprintf("has %d values in its top-k, not counting NaN", o.numbers)
}

// String describes the post-processing in Polygraphy's words.
func (top TopK) String() string { return fmt.Sprintf("top-%d along axis %d", top.K, top.Axis) }

func (top TopK) hollow(why string, args ...any) error {
	h := hollow("remove the top-k post-processing of this output", why, args...)
	h.Rule = top.String()
	return h
}

// topK returns the int64 indices of t's k largest values along an axis, largest first. Ties go to
// the lower index and NaN comes last, as in a stable sort of the negated values. An axis of length
// 1 and a row that is all NaN are errors.
func topK(t *tensor.Tensor, top TopK, side string) (
	indices *tensor.Tensor, orderings []ordering, err error) {
	shape := t.Shape()
	axis := top.Axis
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) {
		return nil, nil, fmt.Errorf("compare: top-%d along axis %d of %v%v: no such axis", top.K,
			top.Axis, t.ElementType(), shape)
	}
	if t.ElementType() == tensor.String {
		return nil, nil, fmt.Errorf("compare: top-%d of strings: want numbers", top.K)
	}
	length := shape[axis]
	k := min(top.K, length)
	stride, _ := shape[axis+1:].Elements()
	result := slices.Clone(shape)
	result[axis] = k
	n, err := result.Elements()
	if err != nil {
		return nil, nil, err
	}
	if n > 0 && length == 1 {
		return nil, nil, top.hollow("the axis has length 1, so the top index is always 0")
	}
	all := make([]int64, n)
	for at := 0; at < n; at++ {
		outer, rest := at/(k*stride), at%(k*stride)
		if rest >= stride {
			continue // not the first element of its row
		}
		best, row := topOf(t, outer*length*stride+rest, stride, length, k)
		if row.numbers == 0 {
			return nil, nil, top.hollow("row %d of the %s side is all NaN, so it has no order",
				len(orderings), side)
		}
		for i, index := range best {
			all[at+i*stride] = int64(index)
		}
		row.numbers = min(row.numbers, k) // NaN among the other values does not matter
		orderings = append(orderings, row)
	}
	indices, err = tensor.New(result, all)
	return indices, orderings, err
}

// key maps element i of any numeric type to an integer that sorts like the value. For NaN, it
// returns the smallest integer and false. NaN thus comes last in the descending order of [topOf].
func key(t *tensor.Tensor, i int) (k int64, ok bool) {
	switch elem := t.ElementType(); {
	case elem.IsFloat():
		if math.IsNaN(t.Float64At(i)) {
			return math.MinInt64, false
		}
		return orderOf(t, i), true
	case elem == tensor.Int64:
		return view[int64](t, i, i+1)[0], true
	case elem == tensor.Uint64:
		return int64(view[uint64](t, i, i+1)[0] ^ 1<<63), true
	}
	return int64(t.Float64At(i)), true
}

// topOf returns the indices of the k largest elements of one row of t, largest first. It also
// returns the row's [ordering], which counts all values of the row that are not NaN, not only the k
// largest. The row has the given length, which is at least k. It begins at element start of t;
// stride is the distance between its elements.
func topOf(t *tensor.Tensor, start, stride, length, k int) ([]int, ordering) {
	keys, o := make([]int64, length), ordering{flat: true}
	var first int64
	for i := range keys {
		var isNumber bool
		if keys[i], isNumber = key(t, start+i*stride); isNumber {
			if o.numbers == 0 {
				first = keys[i]
			}
			o.numbers++
			o.flat = o.flat && keys[i] == first
		}
	}
	return largest.Indices(keys, k), o
}
