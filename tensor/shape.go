package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Shape lists the length of each dimension, outermost first. The empty shape belongs to a 0-d
// tensor with one element; a dimension of zero makes a tensor empty.
type Shape []int

// maxElements ensures that any tensor's size in bytes fits into an int.
const maxElements = math.MaxInt / 8

// Elements returns the product of the dimensions. It is an error if a dimension is negative, or if
// the elements could not fit into memory at eight bytes each: shapes may come from untrusted files.
func (s Shape) Elements() (int, error) {
	n := 1
	empty := false
	for axis, d := range s {
		if d < 0 {
			return 0, fmt.Errorf("tensor: shape %v: dimension %d is negative", s, axis)
		}
		if d == 0 {
			empty = true
			continue
		}
		if n > maxElements/d {
			return 0, fmt.Errorf("tensor: shape %v: more elements than memory can address", s)
		}
		n *= d
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// Equal reports whether both shapes have the same dimensions. The 0-d shape [] and the shape [1]
// differ.
func (s Shape) Equal(other Shape) bool { return slices.Equal(s, other) }

// clone returns a copy that shares no memory with s and is not nil.
func (s Shape) clone() Shape { return append(Shape{}, s...) }

// String prints the shape as [2,3]; a 0-d shape is [].
func (s Shape) String() string {
	return strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ",")
}

// Index converts an element's flat, row-major position to one index per dimension.
func (s Shape) Index(flat int) []int {
	index := make([]int, len(s))
	for axis := len(s) - 1; axis >= 0; axis-- {
		if s[axis] > 0 {
			index[axis] = flat % s[axis]
			flat /= s[axis]
		}
	}
	return index
}
