package tensor

import (
	"fmt"
	"unsafe"
)

// Tensor is a typed, shaped, immutable buffer. Build one with [New], [FromBytes] or [FromStrings].
// The zero value is not a tensor; methods on it, and on nil, answer as for an empty Invalid one.
type Tensor struct {
	elem    ElementType
	shape   Shape
	n       int
	data    []byte                    // little-endian, row-major, 4-bit types packed; nil for strings
	strings []string                  // only for String
	stored  func(from, to int) []byte // reads bytes of the data where that is not in memory
}

// FromBytes makes a tensor over raw little-endian, row-major elements. It takes data over without
// a copy where it can: the caller must not write to it afterwards.
//
// The error says what is wrong: an invalid or string element type, an impossible shape, or a
// buffer whose length is not the one that type and shape need.
func FromBytes(elem ElementType, shape Shape, data []byte) (*Tensor, error) {
	if !elem.Valid() || elem == String {
		return nil, fmt.Errorf("tensor: element type %v cannot be made from bytes", elem)
	}
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if want := elem.Bytes(n); want != len(data) {
		return nil, fmt.Errorf("tensor: %v%v needs %d bytes, got %d", elem, shape, want, len(data))
	}
	return &Tensor{elem: elem, shape: shape.Clone(), n: n, data: aligned(data, elem)}, nil
}

// aligned copies data if its elements do not start on their natural boundary, as happens to a
// slice of a file; typed views need that boundary.
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

// FromStrings makes a tensor of strings, which may hold any bytes. It takes values over without a
// copy. An impossible shape, or one that does not match len(values), is an error.
func FromStrings(shape Shape, values []string) (*Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n != len(values) {
		return nil, fmt.Errorf("tensor: string%v needs %d values, got %d", shape, n, len(values))
	}
	return &Tensor{elem: String, shape: shape.Clone(), n: n, strings: values}, nil
}

// ElementType is the type of every element.
func (t *Tensor) ElementType() ElementType {
	if t == nil {
		return Invalid
	}
	return t.elem
}

// Shape is the length of each dimension. The slice is the tensor's own: do not write to it.
func (t *Tensor) Shape() Shape {
	if t == nil {
		return nil
	}
	return t.shape
}

// Len is the number of elements: 1 for a 0-d tensor, 0 where a dimension is zero.
func (t *Tensor) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Bytes is the raw little-endian buffer, packed for 4-bit types and nil for strings. It is the
// tensor's own: do not write to it. Of a tensor that is [Tensor.Stored] all of it is read
// each time: see [Tensor.Part].
func (t *Tensor) Bytes() []byte {
	switch {
	case t == nil:
		return nil
	case t.stored != nil:
		return t.stored(0, t.Size())
	}
	return t.data
}

// Part is bytes [from,to) of [Tensor.Bytes]. Of a tensor that is [Tensor.Stored] no more is read.
// It is the tensor's own: do not write to it. It panics outside the tensor, as a slice does.
func (t *Tensor) Part(from, to int) []byte {
	if t != nil && t.stored != nil && 0 <= from && from <= to && to <= t.Size() {
		return t.stored(from, to)
	}
	return t.Bytes()[from:to]
}

// Strings is the values of a string tensor, and nil for any other. Do not write to it.
func (t *Tensor) Strings() []string {
	if t == nil {
		return nil
	}
	return t.strings
}

// Reshape returns a tensor with the same elements under another shape. It shares memory with t.
// A shape with another number of elements is an error.
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
	reshaped.shape = shape.Clone()
	return &reshaped, nil
}

// FromStored is [FromBytes] for n bytes that are not in memory: see [Tensor.Stored].
func FromStored(elem ElementType, shape Shape, n int, read func(from, to int) []byte) (
	*Tensor, error) {
	if !elem.Valid() || elem == String {
		return nil, fmt.Errorf("tensor: element type %v cannot be made from bytes", elem)
	}
	elements, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if want := elem.Bytes(elements); want != n {
		return nil, fmt.Errorf("tensor: %v%v needs %d bytes, got %d", elem, shape, want, n)
	}
	return &Tensor{elem: elem, shape: shape.Clone(), n: elements, stored: read}, nil
}

// Stored returns t as a tensor whose bytes are not in memory: read gives bytes [from,to) of
// [Tensor.Bytes], always the same, in a slice that starts on a boundary of 8 bytes where from does.
// It is called whenever an element is asked for, by several goroutines. Strings stay in memory.
func (t *Tensor) Stored(read func(from, to int) []byte) *Tensor {
	if t == nil || t.elem == String {
		return t
	}
	stored := *t
	stored.data, stored.stored = nil, read
	return &stored
}

// Loaded returns t with its elements in memory, for who looks at them one by one.
func (t *Tensor) Loaded() *Tensor {
	if t.InMemory() {
		return t
	}
	loaded := *t
	loaded.data, loaded.stored = t.Bytes(), nil
	return &loaded
}

// InMemory reports whether the elements are in memory, not [Tensor.Stored].
func (t *Tensor) InMemory() bool { return t == nil || t.stored == nil }

// Size is how many bytes [Tensor.Bytes] has.
func (t *Tensor) Size() int {
	if t == nil || t.elem == String {
		return 0
	}
	return t.elem.Bytes(t.n)
}
