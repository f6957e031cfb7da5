//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"context"
	"runtime"
	"unsafe"
)

// call owns the native memory of one run and frees all of it together.
type call struct {
	api         *api
	inputNames  []*C.char
	inputs      []unsafe.Pointer // OrtValues
	outputNames []*C.char
	outputs     []unsafe.Pointer
	texts       []*C.char
	made        []unsafe.Pointer // all OrtValues to free at the end
	pinned      runtime.Pinner   // keeps the inputs' buffers in place for the library
}

// free frees everything that the call owns.
func (c *call) free() {
	for _, value := range c.made {
		C.mp_release_value(c.api.table, value)
	}
	for _, text := range c.texts {
		C.free(unsafe.Pointer(text))
	}
	c.pinned.Unpin()
}

// text returns s as a C string that is freed with the call.
func (c *call) text(s string) *C.char {
	text := C.CString(s)
	c.texts = append(c.texts, text)
	return text
}

func (c *call) feed(in Named) error {
	value, err := c.write(in.Value)
	if err != nil {
		return err
	}
	c.inputNames = append(c.inputNames, c.text(in.Name))
	c.inputs = append(c.inputs, value)
	return nil
}

// run runs the inference and stores the native outputs in c.outputs.
func (c *call) run(ctx context.Context, session *Session) error {
	defer session.alone()()
	var options unsafe.Pointer
	if err := c.api.check(C.mp_run_options(c.api.table, &options)); err != nil {
		return err
	}
	defer C.mp_release_run_options(c.api.table, options)
	// The options must not be freed while the watcher may still use them, so wait for the watcher
	// to end, unless it never started.
	watched := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(watched)
		// There is no caller to return this error to. If it occurs, the run continues to its end.
		_ = c.api.check(C.mp_terminate(c.api.table, options))
	})
	c.outputs = make([]unsafe.Pointer, len(c.outputNames))
	err := c.api.check(C.mp_run(c.api.table, session.handle, options,
		first(c.inputNames), first(c.inputs), C.size_t(len(c.inputs)),
		first(c.outputNames), C.size_t(len(c.outputNames)), first(c.outputs)))
	for _, value := range c.outputs {
		if value != nil {
			c.made = append(c.made, value)
		}
	}
	if !stop() {
		<-watched
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// first returns the address of a slice's first element, or nil for an empty slice.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
