//go:build cgo && (linux || darwin)

package openvino

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// tensor makes a native copy of t; the caller frees it.
func (l *Library) tensor(t Tensor) (*C.ov_tensor_t, error) {
	dims := make([]C.int64_t, len(t.Shape)+1) // one more, so that 0-d has an address
	for i, d := range t.Shape {
		dims[i] = C.int64_t(d)
	}
	if t.Type == String {
		return nil, errStrings
	}
	var tensor *C.ov_tensor_t
	var data unsafe.Pointer
	var size C.size_t
	if err := l.check(C.mo_tensor(&l.c, C.ov_element_type_e(t.Type), C.int64_t(len(t.Shape)),
		&dims[0], &tensor, &data, &size)); err != nil {
		return nil, err
	}
	if int(size) != len(t.Data) {
		C.mo_free_tensor(&l.c, tensor)
		return nil, fmt.Errorf("a tensor of type %d and shape %v needs %d bytes, got %d",
			t.Type, t.Shape, int(size), len(t.Data))
	}
	if size > 0 {
		copy(unsafe.Slice((*byte)(data), int(size)), t.Data)
	}
	return tensor, nil
}

// read copies a native tensor to Go's memory.
func (l *Library) read(tensor *C.ov_tensor_t) (Tensor, error) {
	var elem C.ov_element_type_e
	var shape C.ov_shape_t
	if err := l.check(C.mo_tensor_type(&l.c, tensor, &elem, &shape)); err != nil {
		return Tensor{}, err
	}
	t := Tensor{Type: ElementType(elem), Shape: make([]int, int(shape.rank))}
	for i, d := range unsafe.Slice(shape.dims, int(shape.rank)) {
		t.Shape[i] = int(d)
	}
	C.mo_free_shape(&l.c, &shape)
	if t.Type == String {
		return Tensor{}, errStrings
	}
	var data unsafe.Pointer
	var size C.size_t
	if err := l.check(C.mo_tensor_data(&l.c, tensor, &data, &size)); err != nil {
		return Tensor{}, err
	}
	t.Data = make([]byte, int(size))
	if size > 0 {
		copy(t.Data, unsafe.Slice((*byte)(data), int(size)))
	}
	t.clearRest()
	return t, nil
}
