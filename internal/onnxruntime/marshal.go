//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/tensor"
)

// write creates an OrtValue with the contents of v. The library reads tensors in place, so their
// buffers stay pinned until the call is freed. The call also frees the OrtValue.
func (c *call) write(v Value) (unsafe.Pointer, error) {
	var value unsafe.Pointer
	var err error
	switch {
	case v.Kind == Sequence && len(v.Items) == 0:
		value, err = c.writeEmpty(v.Type)
	case v.Kind == Sequence || v.Kind == Map:
		value, err = c.writeItems(v)
	case v.Kind != Tensor:
		return nil, fmt.Errorf("a value of kind %d cannot be an input", v.Kind)
	case v.Tensor.ElementType() == tensor.String:
		return c.writeStrings(v.Tensor)
	default:
		shape, bytes := dims(v.Tensor.Shape()), v.Tensor.Bytes()
		data := unsafe.Pointer(unsafe.SliceData(bytes))
		if data != nil {
			c.pinned.Pin(data)
		}
		err = c.api.check(C.mp_tensor(c.api.table, c.api.memory, data, C.size_t(len(bytes)),
			first(shape), C.size_t(len(shape)), C.int32_t(Codes.Of(v.Tensor.ElementType())), &value))
	}
	if err != nil {
		return nil, err
	}
	c.made = append(c.made, value)
	return value, nil
}

// writeItems creates a sequence or a map from the items of v.
func (c *call) writeItems(v Value) (unsafe.Pointer, error) {
	items := make([]unsafe.Pointer, len(v.Items))
	for i, item := range v.Items {
		var err error
		if items[i], err = c.write(item); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	var value unsafe.Pointer
	err := c.api.check(C.mp_collect(c.api.table, first(items), C.size_t(len(items)),
		C.int(v.Kind), &value))
	return value, err
}

// writeStrings creates a tensor of strings. It passes the length of each string, so a string may
// contain any bytes, including NUL.
func (c *call) writeStrings(t *tensor.Tensor) (unsafe.Pointer, error) {
	var value unsafe.Pointer
	shape := dims(t.Shape())
	if err := c.api.check(C.mp_strings(c.api.table, c.api.allocator, first(shape),
		C.size_t(len(shape)), &value)); err != nil {
		return nil, err
	}
	c.made = append(c.made, value)
	for i, s := range t.Strings() {
		var buffer *C.char
		if err := c.api.check(C.mp_string_buffer(c.api.table, value, C.size_t(i),
			C.size_t(len(s)), &buffer)); err != nil {
			return nil, err
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), len(s)), s)
	}
	return value, nil
}

// read copies an OrtValue into Go's memory. The caller still owns the OrtValue.
func (a *api) read(value unsafe.Pointer) (_ Value, err error) {
	if value == nil {
		return Value{Kind: None}, nil
	}
	var kind C.int
	var items C.size_t
	if err := a.check(C.mp_describe(a.table, value, &kind, &items)); err != nil {
		return Value{}, err
	}
	switch v := (Value{Kind: Kind(kind)}); v.Kind {
	case None:
		return v, nil
	case Tensor:
		v.Tensor, err = a.readTensor(value)
		return v, err
	case Sequence, Map:
		for i := range int(items) {
			item, err := a.readItem(value, i)
			if err != nil {
				return Value{}, fmt.Errorf("item %d: %w", i, err)
			}
			v.Items = append(v.Items, item)
		}
		return v, nil
	}
	return Value{}, fmt.Errorf("a value of ONNX type %d cannot be read: only tensors, sequences, "+
		"maps and optionals can", kind)
}

// readItem copies item i of a sequence or a map.
func (a *api) readItem(value unsafe.Pointer, i int) (Value, error) {
	var item unsafe.Pointer
	if err := a.check(C.mp_item(a.table, a.allocator, value, C.int(i), &item)); err != nil {
		return Value{}, err
	}
	defer C.mp_release_value(a.table, item)
	return a.read(item)
}

// typeOf returns the code of a tensor's element type, and the tensor's shape.
func (a *api) typeOf(value unsafe.Pointer) (code int, shape tensor.Shape, err error) {
	var elem C.int32_t
	var rank C.size_t
	if err := a.check(C.mp_rank(a.table, value, &elem, &rank)); err != nil {
		return 0, nil, err
	}
	sizes := make([]C.int64_t, int(rank))
	if err := a.check(C.mp_shape(a.table, value, first(sizes), rank)); err != nil {
		return 0, nil, err
	}
	return int(elem), dlopen.Shape(sizes), nil
}

func (a *api) readTensor(value unsafe.Pointer) (*tensor.Tensor, error) {
	code, shape, err := a.typeOf(value)
	if err != nil {
		return nil, err
	}
	if Codes.Element(code) == tensor.String {
		return a.readStrings(value, shape)
	}
	var data unsafe.Pointer
	if err := a.check(C.mp_data(a.table, value, &data)); err != nil {
		return nil, err
	}
	return Codes.Copy(code, shape, data)
}

// readStrings copies a tensor of strings.
func (a *api) readStrings(value unsafe.Pointer, shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	var size C.size_t
	if err := a.check(C.mp_strings_size(a.table, value, &size)); err != nil {
		return nil, err
	}
	// Each string needs a pointer and a length in Go and, while it is being read, an offset.
	if err := memory.Allows(uint64(n)*24 + 2*uint64(size)); err != nil {
		return nil, fmt.Errorf("%d strings cannot be copied: %w", n, err)
	}
	texts := make([]string, n)
	if size == 0 {
		return tensor.FromStrings(shape, texts)
	}
	bytes := make([]byte, int(size))
	offsets := make([]C.size_t, n, n+1)
	if err := a.check(C.mp_strings_read(a.table, value, unsafe.Pointer(&bytes[0]), size,
		&offsets[0], C.size_t(n))); err != nil {
		return nil, err
	}
	offsets = append(offsets, size)
	for i := range texts {
		texts[i] = string(bytes[offsets[i]:offsets[i+1]])
	}
	return tensor.FromStrings(shape, texts)
}

// dims converts a shape to C integers.
func dims(shape []int) []C.int64_t {
	dims := make([]C.int64_t, len(shape))
	for i, d := range shape {
		dims[i] = C.int64_t(d)
	}
	return dims
}
