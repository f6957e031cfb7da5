// Package rows takes rows out of tensors, and joins them to other tensors.
package rows

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Take returns n rows of t along an axis: those with the indices start, start+1 and so on.
func Take(t *tensor.Tensor, axis, start, n int) (*tensor.Tensor, error) {
	picks := make([]Pick, n)
	for i := range picks {
		picks[i] = Pick{t, start + i}
	}
	return join(t, axis, picks)
}

// One returns one row of t, without the axis. index is the row's index along the axis.
func One(t *tensor.Tensor, axis, index int) (*tensor.Tensor, error) {
	row, err := Take(t, axis, index, 1)
	if err != nil {
		return nil, err
	}
	return row.Reshape(slices.Delete(slices.Clone(t.Shape()), axis, axis+1))
}

// Integers returns the rows of a two-dimensional tensor of integers.
func Integers(t *tensor.Tensor) [][]int64 {
	rows := make([][]int64, t.Shape()[0])
	width := t.Shape()[1]
	for i := range rows {
		rows[i] = make([]int64, width)
		for k := range rows[i] {
			rows[i][k] = int64(t.Float64At(i*width + k))
		}
	}
	return rows
}

// Pick selects one row of a tensor.
type Pick struct {
	Of *tensor.Tensor
	At int
}

// Concat joins tensors along an axis. It has the same requirements as [Join].
func Concat(axis int, tensors []*tensor.Tensor) (*tensor.Tensor, error) {
	var picks []Pick
	for _, t := range tensors {
		for i := range t.Shape()[axis] {
			picks = append(picks, Pick{t, i})
		}
	}
	return join(tensors[0], axis, picks)
}

// Join joins rows along an axis. All tensors must have the same element type and, except along the
// axis, the same shape.
func Join(axis int, picks []Pick) (*tensor.Tensor, error) { return join(picks[0].Of, axis, picks) }

// join is [Join] for a list that may be empty. prototype is any tensor with the rows' type and
// shape.
func join(prototype *tensor.Tensor, axis int, picks []Pick) (*tensor.Tensor, error) {
	shape := slices.Clone(prototype.Shape())
	if axis >= len(shape) {
		return nil, fmt.Errorf("%v%v has no axis %d", prototype.ElementType(), shape, axis)
	}
	outer, _ := shape[:axis].Elements()
	inner, _ := shape[axis+1:].Elements()
	shape[axis] = len(picks)
	bits := prototype.ElementType().Bits()
	text := prototype.ElementType() == tensor.String
	if !text && inner*bits%8 != 0 {
		return nil, fmt.Errorf("the rows of %v%v share bytes, so they cannot be separated",
			prototype.ElementType(), prototype.Shape())
	}
	var strings []string
	var data []byte
	size := inner * bits / 8
	for o := range outer {
		for _, p := range picks {
			length := p.Of.Shape()[axis]
			if p.At < 0 || p.At >= length {
				return nil, fmt.Errorf("there is no row %d; the number of rows is %d", p.At, length)
			}
			begin := o*length + p.At
			if text {
				strings = append(strings, p.Of.Strings()[begin*inner:(begin+1)*inner]...)
			} else {
				data = append(data, p.Of.Bytes()[begin*size:(begin+1)*size]...)
			}
		}
	}
	if text {
		return tensor.FromStrings(shape, strings)
	}
	return tensor.FromBytes(prototype.ElementType(), shape, data)
}
