package compare

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// align prepares both sides of an output for subtraction: it applies top-k, then converts them to
// suitable element types and to one shape. If the conversion is impossible, align returns the
// reason for which the output fails. It returns an error if an option does not fit the tensors.
func (c *Comparer) align(out *Output) (reason string, err error) {
	if reason, err = c.topKOf(out); reason != "" || err != nil {
		return reason, err
	}
	x, y := out.Actual.ElementType(), out.Expected.ElementType()
	switch {
	case x != y && !c.options.AnyElementType:
		return fmt.Sprintf("the element type is %v, expected %v", x, y), nil
	case promote(x, y) == unrelated:
		return fmt.Sprintf("the element type is %v, expected %v: a string cannot equal a number", x,
			y), nil
	}
	if out.Actual.Shape().Equal(out.Expected.Shape()) {
		return "", nil
	}
	differ := fmt.Sprintf("the shape is %v, expected %v", out.Actual.Shape(), out.Expected.Shape())
	if !c.options.AnyShape {
		return differ, nil
	}
	for _, check := range c.ChecksOf(out.Name) {
		if _, lists := check.rule.(indices); lists {
			return differ + ", and a comparison of indices needs equal shapes", nil
		}
	}
	if out.Actual.Len() != out.Expected.Len() {
		return differ + ", and the numbers of elements differ", nil
	}
	if out.Expected, err = matchShape(out.Expected, out.Actual.Shape()); err != nil {
		return "", err
	}
	return "", nil
}

// matchShape changes t to the given shape as Polygraphy does. If the two shapes differ in rank or
// in their sorted dimensions, it reshapes t. Otherwise it transposes t: each dimension of the given
// shape takes the first unused axis of t with that length. A (2,3) tensor is therefore transposed
// to (3,2), and the order of axes with equal lengths is a guess. matchShape never broadcasts.
func matchShape(t *tensor.Tensor, shape tensor.Shape) (*tensor.Tensor, error) {
	if len(t.Shape()) != len(shape) {
		return t.Reshape(shape)
	}
	have, want := slices.Sorted(slices.Values(t.Shape())), slices.Sorted(slices.Values(shape))
	if !slices.Equal(have, want) {
		return t.Reshape(shape)
	}
	axes := make([]int, len(shape))
	used := make([]bool, len(shape))
	for i, d := range shape {
		for axis, length := range t.Shape() {
			if length == d && !used[axis] {
				axes[i], used[axis] = axis, true
				break
			}
		}
	}
	return transpose(t, axes)
}

// transpose copies t with its axes reordered: axis i of the result is axes[i] of t.
func transpose(t *tensor.Tensor, axes []int) (*tensor.Tensor, error) {
	from := t.Shape()
	shape := make(tensor.Shape, len(axes))
	strides := make([]int, len(axes)) // of t, in the order of the result's axes
	for i, axis := range axes {
		shape[i] = from[axis]
		strides[i], _ = from[axis+1:].Elements()
	}
	source := make([]int, t.Len())
	index := make([]int, len(axes))
	for at, place := 0, 0; at < len(source); at++ {
		source[at] = place
		for i := len(axes) - 1; i >= 0; i-- {
			index[i]++
			place += strides[i]
			if index[i] < shape[i] {
				break
			}
			place -= index[i] * strides[i]
			index[i] = 0
		}
	}
	return gather(t, shape, source)
}

// gather returns a tensor whose element i is element source[i] of t.
func gather(t *tensor.Tensor, shape tensor.Shape, source []int) (*tensor.Tensor, error) {
	if t.ElementType() == tensor.String {
		values := make([]string, len(source))
		for i, at := range source {
			values[i] = t.Strings()[at]
		}
		return tensor.FromStrings(shape, values)
	}
	data := make([]byte, len(t.Bytes()))
	if width := t.ElementType().Bits() / 8; width > 0 {
		for i, at := range source {
			copy(data[i*width:(i+1)*width], t.Bytes()[at*width:])
		}
		return tensor.FromBytes(t.ElementType(), shape, data)
	}
	bits := t.ElementType().Bits()
	perByte, mask := 8/bits, byte(1<<bits-1)
	for i, at := range source {
		element := t.Bytes()[at/perByte] >> (bits * (at % perByte)) & mask
		data[i/perByte] |= element << (bits * (i % perByte))
	}
	return tensor.FromBytes(t.ElementType(), shape, data)
}
