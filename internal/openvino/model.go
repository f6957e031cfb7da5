//go:build cgo && (linux || darwin)

package openvino

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Model is a graph that has been read but not compiled. It is not safe for concurrent use.
type Model struct {
	l      *Library
	handle *C.ov_model_t
}

// ReadFile reads the model at path with the frontend for the file's format: ONNX, OpenVINO's own IR
// (.xml, with the weights in a .bin next to it), TensorFlow, TensorFlow Lite or PaddlePaddle.
func (l *Library) ReadFile(path string) (*Model, error) {
	scratch := texts{}
	defer scratch.free()
	m := &Model{l: l}
	if err := l.check(C.mo_read_file(&l.c, l.core, scratch.of(path), nil, &m.handle)); err != nil {
		return nil, err
	}
	return m, nil
}

// ReadMemory reads an ONNX model from data.
func (l *Library) ReadMemory(data []byte) (*Model, error) {
	if len(data) == 0 {
		return nil, errors.New("the model is empty")
	}
	m := &Model{l: l}
	if err := l.check(C.mo_read_memory(&l.c, l.core, (*C.char)(unsafe.Pointer(&data[0])),
		C.size_t(len(data)), nil, &m.handle)); err != nil {
		return nil, err
	}
	return m, nil
}

// Close frees the model. Compiled models made from it stay valid. Closing twice is harmless.
func (m *Model) Close() {
	if m.handle != nil {
		C.mo_free_model(&m.l.c, m.handle)
		m.handle = nil
	}
}

// Ports returns the model's inputs and outputs.
func (m *Model) Ports() (inputs, outputs []Port, err error) {
	if m.handle == nil {
		return nil, nil, ErrClosed
	}
	var in, out C.size_t
	if err := m.l.check(C.mo_counts(&m.l.c, m.handle, &in, &out)); err != nil {
		return nil, nil, err
	}
	if inputs, err = m.ports(0, int(in)); err == nil {
		outputs, err = m.ports(1, int(out))
	}
	return inputs, outputs, err
}

func (m *Model) ports(output C.int, count int) ([]Port, error) {
	ports := make([]Port, count)
	for i := range ports {
		var port *C.ov_output_const_port_t
		err := m.l.check(C.mo_port(&m.l.c, m.handle, output, C.size_t(i), nil, &port))
		if err != nil {
			return nil, err
		}
		ports[i], err = m.l.port(port)
		C.mo_free_port(&m.l.c, port)
		if err != nil {
			return nil, fmt.Errorf("port %d: %w", i, err)
		}
	}
	return ports, nil
}

func (l *Library) port(port *C.ov_output_const_port_t) (Port, error) {
	var p Port
	var name *C.char
	if l.check(C.mo_port_name(&l.c, port, &name)) == nil { // else it has no name
		p.Name = l.text(name)
	}
	var elem C.ov_element_type_e
	var shape C.ov_partial_shape_t
	if err := l.check(C.mo_port_type(&l.c, port, &elem, &shape)); err != nil {
		return p, err
	}
	defer C.mo_free_partial_shape(&l.c, &shape)
	p.Type = int(elem)
	if p.HasRank = shape.rank.min == shape.rank.max; p.HasRank {
		for _, d := range unsafe.Slice(shape.dims, int(shape.rank.min)) {
			size := -1
			if d.min == d.max {
				size = int(d.min)
			}
			p.Dims = append(p.Dims, size)
		}
	}
	return p, nil
}

// HasInput reports whether the model has an input with the given name.
func (m *Model) HasInput(name string) bool {
	scratch := texts{}
	defer scratch.free()
	var port *C.ov_output_const_port_t
	if m.handle == nil || m.l.check(C.mo_port(&m.l.c, m.handle, 0, 0, scratch.of(name),
		&port)) != nil {
		return false
	}
	C.mo_free_port(&m.l.c, port)
	return true
}

// Reshape changes the shapes of inputs, given by index, and infers all other shapes again. A size
// of -1 means any size.
func (m *Model) Reshape(shapes map[int][]int) error {
	if m.handle == nil {
		return ErrClosed
	}
	if len(shapes) == 0 {
		return nil
	}
	// The shapes are in C's memory, because Go memory that contains pointers must not be passed to
	// C.
	partial := room[C.ov_partial_shape_t](len(shapes))
	defer C.free(unsafe.Pointer(&partial[0]))
	var inputs []C.size_t
	for input, dims := range shapes {
		native := room[C.ov_dimension_t](len(dims) + 1)
		defer C.free(unsafe.Pointer(&native[0]))
		for j, size := range dims {
			native[j] = C.ov_dimension_t{min: C.int64_t(max(size, 0)), max: C.int64_t(size)}
		}
		rank := C.int64_t(len(dims))
		partial[len(inputs)] = C.ov_partial_shape_t{rank: C.ov_dimension_t{min: rank, max: rank},
			dims: &native[0]}
		inputs = append(inputs, C.size_t(input))
	}
	return m.l.check(C.mo_reshape(&m.l.c, m.handle, &inputs[0], &partial[0],
		C.size_t(len(shapes))))
}

// room allocates zeroed C memory for n values. The caller frees it by the address of the first
// value.
func room[T any](n int) []T {
	var zero T
	return unsafe.Slice((*T)(C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(zero)))), n)
}
