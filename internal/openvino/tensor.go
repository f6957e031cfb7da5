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

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// write makes a native copy of t; the caller frees it.
func (l *Library) write(t *tensor.Tensor) (*C.ov_tensor_t, error) {
	if t.ElementType() == tensor.String {
		return nil, errStrings
	}
	dims := make([]C.int64_t, len(t.Shape())+1) // one more, so that 0-d has an address
	for i, d := range t.Shape() {
		dims[i] = C.int64_t(d)
	}
	var value *C.ov_tensor_t
	var data unsafe.Pointer
	var size C.size_t
	if err := l.check(C.mo_tensor(&l.c, C.ov_element_type_e(Codes.Of(t.ElementType())),
		C.int64_t(len(t.Shape())), &dims[0], &value, &data, &size)); err != nil {
		return nil, err
	}
	if int(size) != t.Size() {
		C.mo_free_tensor(&l.c, value)
		return nil, fmt.Errorf("OpenVINO has %d bytes for a tensor %v%v, expected %d", int(size),
			t.ElementType(), t.Shape(), t.Size())
	}
	if size > 0 {
		copy(unsafe.Slice((*byte)(data), int(size)), t.Bytes())
	}
	return value, nil
}

// read copies a native tensor to Go's memory.
func (l *Library) read(value *C.ov_tensor_t) (*tensor.Tensor, error) {
	var elem C.ov_element_type_e
	var shape C.ov_shape_t
	if err := l.check(C.mo_tensor_type(&l.c, value, &elem, &shape)); err != nil {
		return nil, err
	}
	defer C.mo_free_shape(&l.c, &shape)
	if Codes.Element(int(elem)) == tensor.String {
		return nil, errStrings
	}
	var data unsafe.Pointer
	var size C.size_t
	if err := l.check(C.mo_tensor_data(&l.c, value, &data, &size)); err != nil {
		return nil, err
	}
	return Codes.Copy(int(elem), dlopen.Shape(unsafe.Slice(shape.dims, int(shape.rank))), data)
}
