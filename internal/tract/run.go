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
	"unsafe"

	"github.com/modelparity/modelparity/internal/inuse"
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
// types of the outputs, or 0 for an undeclared type. Run needs them because tract has a special
// type for dimensions, and returns it for some outputs that are integers in other engines.
//
// When ctx ends, Run returns the context's cause at once. tract cannot be interrupted: the
// computation continues in the background and frees its memory at the end.
func (r *Runnable) Run(ctx context.Context, inputs []Value, types []DatumType) ([]Value, error) {
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
	for i, v := range inputs {
		if err := c.feed(v, r.half); err != nil {
			c.free()
			r.users.Leave()
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	type answer struct {
		values []Value
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer r.users.Leave()
		defer c.free()
		values, err := c.run(r, types)
		done <- answer{values, err}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case a := <-done:
		return a.values, a.err
	}
}

// call owns the tensors of one run.
type call struct {
	library *Library
	inputs  []unsafe.Pointer
	outputs []unsafe.Pointer
}

func (c *call) free() {
	for _, list := range [][]unsafe.Pointer{c.inputs, c.outputs} {
		for _, tensor := range list {
			C.mptract_free_tensor(c.library.table, tensor)
		}
	}
}

// feed copies an input to the library. If half is true, it converts float32 to float16.
func (c *call) feed(v Value, half bool) error {
	size, err := bytes(v.Type, v.Shape)
	if err != nil {
		return err
	}
	if size != len(v.Data) {
		return fmt.Errorf("shape %v needs %d bytes, got %d", v.Shape, size, len(v.Data))
	}
	shape := make([]C.size_t, len(v.Shape))
	for i, d := range v.Shape {
		shape[i] = C.size_t(d)
	}
	var pinned runtime.Pinner
	defer pinned.Unpin()
	data := unsafe.Pointer(unsafe.SliceData(v.Data))
	if data != nil {
		pinned.Pin(data)
	}
	t := c.library.table
	var tensor unsafe.Pointer
	if err := check(C.mptract_tensor(t, C.uint32_t(v.Type), C.size_t(len(shape)),
		unsafe.SliceData(shape), data, &tensor)); err != nil {
		return err
	}
	c.inputs = append(c.inputs, tensor)
	if !half || v.Type != Float32 {
		return nil
	}
	halved, err := c.convert(tensor, Float16)
	if err == nil {
		C.mptract_free_tensor(t, tensor)
		c.inputs[len(c.inputs)-1] = halved
	}
	return err
}

func (c *call) convert(tensor unsafe.Pointer, to DatumType) (unsafe.Pointer, error) {
	var converted unsafe.Pointer
	err := check(C.mptract_convert(c.library.table, tensor, C.uint32_t(to), &converted))
	return converted, err
}

// run runs the inference and copies the outputs.
func (c *call) run(r *Runnable, types []DatumType) ([]Value, error) {
	c.outputs = make([]unsafe.Pointer, r.outputs)
	// Rust's slices must have an address even if they are empty.
	inputs := append(c.inputs[:len(c.inputs):len(c.inputs)], nil)
	outputs := append(c.outputs[:r.outputs:r.outputs], nil)
	err := check(C.mptract_run(c.library.table, r.handle, &inputs[0], &outputs[0]))
	copy(c.outputs, outputs)
	if err != nil {
		return nil, err
	}
	values := make([]Value, r.outputs)
	for i, tensor := range c.outputs {
		if values[i], err = c.read(tensor, types[i], r.half); err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
	}
	return values, nil
}

// read copies an output. tract has a special type for dimensions, which its C API cannot return;
// read converts such an output to an integer. If half is true, read converts float16 to float32 for
// outputs that the model declares as float32. promised is the declared type.
func (c *call) read(tensor unsafe.Pointer, promised DatumType, half bool) (Value, error) {
	v, err := c.copy(tensor)
	to := Float32
	switch {
	case err != nil && (promised == Int64 || promised == 0):
		to = Int64
	case err != nil || !half || v.Type != Float16 || promised == Float16:
		return v, err
	}
	converted, failed := c.convert(tensor, to)
	if failed != nil {
		return v, failed
	}
	defer C.mptract_free_tensor(c.library.table, converted)
	return c.copy(converted)
}

func (c *call) copy(tensor unsafe.Pointer) (Value, error) {
	var elem C.uint32_t
	var rank C.size_t
	var dims *C.size_t
	var data unsafe.Pointer
	if err := check(C.mptract_read(c.library.table, tensor, &elem, &rank, &dims,
		&data)); err != nil {
		return Value{}, err
	}
	v := Value{Type: DatumType(elem), Shape: make([]int, int(rank))}
	for i, d := range unsafe.Slice(dims, int(rank)) {
		v.Shape[i] = int(d)
	}
	size, err := bytes(v.Type, v.Shape)
	if err != nil {
		return Value{}, err
	}
	v.Data = make([]byte, size)
	if size > 0 {
		copy(v.Data, unsafe.Slice((*byte)(data), size))
	}
	return v, nil
}
