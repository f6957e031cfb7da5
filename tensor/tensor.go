package tensor

import (
	"fmt"
	"unsafe"
)

// Tensor is a typed, shaped, immutable buffer. Create one with [New], [FromBytes] or [FromStrings].
// A nil *Tensor and the zero value behave like an empty tensor of type Invalid.
type Tensor struct {
	elem    ElementType
	shape   Shape
	n       int
	data    []byte                    // little-endian, row-major, 4-bit types packed; nil for strings
	strings []string                  // only for String
	stored  func(from, to int) []byte // reads bytes of data that is not in memory
	keys    bool                      // the tensor contains the keys of a map
}

// AsKeys returns a copy of t that is marked as the keys of a map; see [Value]. The copy shares
// memory with t.
func (t *Tensor) AsKeys() *Tensor {
	marked := *t
	marked.keys = true
	return &marked
}

// IsKeys reports whether t is marked as the keys of a map.
func (t *Tensor) IsKeys() bool { return t != nil && t.keys }

// FromBytes returns a tensor of raw little-endian, row-major elements. It uses data without a copy
// if possible, so the caller must not modify it afterwards.
//
// It fails if the element type is invalid or String, if the shape is invalid, or if the length of
// data does not match the type and the shape.
func FromBytes(elem ElementType, shape Shape, data []byte) (*Tensor, error) {
	t, err := fromStored(elem, shape, len(data), nil)
	if err != nil {
		return nil, err
	}
	t.data = aligned(data, elem)
	return t, nil
}

// aligned copies data if its elements are not aligned, for example if data is a slice of a file's
// content, because typed views need alignment.
func aligned(data []byte, elem ElementType) []byte {
	width := uintptr(elem.Bits() / 8)
	if len(data) == 0 || width <= 1 || uintptr(unsafe.Pointer(&data[0]))%width == 0 {
		return data
	}
	words := make([]uint64, (len(data)+7)/8)
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(data))
	copy(buffer, data)
	return buffer
}

// FromStrings returns a tensor of strings, which may contain any bytes. It uses values without a
// copy. It fails if the shape is invalid or does not match len(values).
func FromStrings(shape Shape, values []string) (*Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n != len(values) {
		return nil, fmt.Errorf("tensor: string%v needs %d values, got %d", shape, n, len(values))
	}
	return &Tensor{elem: String, shape: shape.clone(), n: n, strings: values}, nil
}

// ElementType returns the type of the elements.
func (t *Tensor) ElementType() ElementType {
	if t == nil {
		return Invalid
	}
	return t.elem
}

// Shape returns the length of each dimension. The slice belongs to the tensor and must not be
// modified.
func (t *Tensor) Shape() Shape {
	if t == nil {
		return nil
	}
	return t.shape
}

// Len returns the number of elements: 1 for a 0-d tensor, 0 if a dimension is zero.
func (t *Tensor) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Bytes returns the raw little-endian buffer, packed for types of 4 and 2 bits, or nil for strings.
// The slice belongs to the tensor and must not be modified. If the tensor is very large or belongs
// to a later iteration of a long run, every call may read it from a temporary file.
func (t *Tensor) Bytes() []byte {
	switch {
	case t == nil:
		return nil
	case t.stored != nil:
		return t.stored(0, t.Size())
	}
	return t.data
}

// Strings returns the values of a string tensor, and nil for other types. The slice must not be
// modified.
func (t *Tensor) Strings() []string {
	if t == nil {
		return nil
	}
	return t.strings
}

// Reshape returns a tensor with the same elements in a different shape. It shares memory with t. A
// shape with a different number of elements is an error.
func (t *Tensor) Reshape(shape Shape) (*Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n != t.Len() {
		return nil, fmt.Errorf("tensor: %v%v has %d elements, shape %v needs %d",
			t.ElementType(), t.Shape(), t.Len(), shape, n)
	}
	if t == nil {
		return nil, fmt.Errorf("tensor: a nil tensor cannot be reshaped")
	}
	reshaped := *t
	reshaped.shape = shape.clone()
	return &reshaped, nil
}

// Size returns the length of [Tensor.Bytes].
func (t *Tensor) Size() int {
	if t == nil || t.elem == String {
		return 0
	}
	return t.elem.Bytes(t.n)
}
