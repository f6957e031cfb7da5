//go:build cgo && (linux || darwin)

package tract

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/internal/inuse"
	"github.com/modelparity/modelparity/tensor"
)

// Runnable is a model prepared for one combination of input types and shapes. It is safe for
// concurrent use.
type Runnable struct {
	library *Library
	handle  unsafe.Pointer
	inputs  int
	outputs int
	half    bool

	users inuse.Guard // of the handle
}

// Close frees the runnable once the last run in progress has ended. Closing twice is harmless.
func (r *Runnable) Close() { _ = r.users.Close() } // freeing cannot fail

// Run runs one inference. Inputs and outputs are in the model's order. types contains the declared
// types of the outputs, or [tensor.Invalid] for an undeclared type. Run needs them because tract
// has a special type for dimensions, and returns it for some outputs that are integers in other
// engines.
//
// When ctx ends, Run returns at once; see [inuse.Leave]. tract cannot be interrupted: the
// computation continues in the background and frees its memory at the end.
func (r *Runnable) Run(ctx context.Context, inputs []*tensor.Tensor,
	types []tensor.ElementType) ([]*tensor.Tensor, error) {
	if len(inputs) != r.inputs || len(types) != r.outputs {
		return nil, fmt.Errorf("the model has %d inputs and %d outputs, got %d and %d",
			r.inputs, r.outputs, len(inputs), len(types))
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !r.users.Enter() {
		return nil, ErrClosed
	}
	c := &call{library: r.library}
	for i, t := range inputs {
		if err := c.feed(t, r.half); err != nil {
			c.free()
			r.users.Leave()
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	return inuse.Leave(ctx, 0, func() ([]*tensor.Tensor, error) {
		defer r.users.Leave()
		defer c.free()
		return c.run(r, types)
	}, func([]*tensor.Tensor) {})
}

// call owns the tensors of one run.
type call struct {
	library *Library
	inputs  []unsafe.Pointer
	outputs []unsafe.Pointer
}

func (c *call) free() {
	for _, value := range slices.Concat(c.inputs, c.outputs) {
		C.mptract_free_tensor(c.library.table, value)
	}
}

// feed copies an input to the library. If half is true, it converts float32 to float16.
func (c *call) feed(t *tensor.Tensor, half bool) error {
	shape := make([]C.size_t, len(t.Shape()))
	for i, d := range t.Shape() {
		shape[i] = C.size_t(d)
	}
	var pinned runtime.Pinner
	defer pinned.Unpin()
	data := unsafe.Pointer(unsafe.SliceData(t.Bytes()))
	if data != nil {
		pinned.Pin(data)
	}
	var value unsafe.Pointer
	if err := check(C.mptract_tensor(c.library.table, C.uint32_t(codes.Of(t.ElementType())),
		C.size_t(len(shape)), unsafe.SliceData(shape), data, &value)); err != nil {
		return err
	}
	c.inputs = append(c.inputs, value)
	if !half || t.ElementType() != tensor.Float32 {
		return nil
	}
	halved, err := c.convert(value, tensor.Float16)
	if err == nil {
		C.mptract_free_tensor(c.library.table, value)
		c.inputs[len(c.inputs)-1] = halved
	}
	return err
}

func (c *call) convert(value unsafe.Pointer, to tensor.ElementType) (unsafe.Pointer, error) {
	var converted unsafe.Pointer
	err := check(C.mptract_convert(c.library.table, value, C.uint32_t(codes.Of(to)), &converted))
	return converted, err
}

// run runs the inference and copies the outputs.
func (c *call) run(r *Runnable, types []tensor.ElementType) ([]*tensor.Tensor, error) {
	c.outputs = make([]unsafe.Pointer, r.outputs)
	// Rust's slices must have an address even if they are empty.
	inputs := append(c.inputs[:len(c.inputs):len(c.inputs)], nil)
	outputs := append(c.outputs[:r.outputs:r.outputs], nil)
	err := check(C.mptract_run(c.library.table, r.handle, &inputs[0], &outputs[0]))
	copy(c.outputs, outputs)
	if err != nil {
		return nil, err
	}
	tensors := make([]*tensor.Tensor, r.outputs)
	for i, value := range c.outputs {
		if tensors[i], err = c.read(value, types[i], r.half); err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
	}
	return tensors, nil
}

// read copies an output. tract has a special type for dimensions, which its C API cannot return;
// read converts such an output to an integer. If half is true, read converts float16 to float32 for
// outputs that the model declares as float32. promised is the declared type.
func (c *call) read(value unsafe.Pointer, promised tensor.ElementType, half bool) (
	*tensor.Tensor, error) {
	t, err := c.copy(value)
	to := tensor.Float32
	switch {
	case err != nil && (promised == tensor.Int64 || promised == tensor.Invalid):
		to = tensor.Int64
	case err != nil || !half || t.ElementType() != tensor.Float16 || promised == tensor.Float16:
		return t, err
	}
	converted, failed := c.convert(value, to)
	if failed != nil {
		return nil, failed
	}
	defer C.mptract_free_tensor(c.library.table, converted)
	return c.copy(converted)
}

func (c *call) copy(value unsafe.Pointer) (*tensor.Tensor, error) {
	var elem C.uint32_t
	var rank C.size_t
	var dims *C.size_t
	var data unsafe.Pointer
	if err := check(C.mptract_read(c.library.table, value, &elem, &rank, &dims,
		&data)); err != nil {
		return nil, err
	}
	return codes.Copy(int(elem), dlopen.Shape(unsafe.Slice(dims, int(rank))), data)
}
