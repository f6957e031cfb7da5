//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Allocator allocates memory for outputs whose size becomes known only during an inference
// (IOutputAllocator).
type Allocator interface {
	// Reallocate returns the address of at least size bytes of GPU memory, or 0 on failure.
	Reallocate(name string, size int) uintptr
	NotifyShape(name string, shape []int)
}

// Listener receives debug tensors (IDebugListener). Their memory is valid only during the call.
type Listener interface {
	DebugTensor(name string, elem DataType, shape []int, address uintptr, onHost bool) bool
}

// Calibrator provides the data for INT8 calibration (IInt8Calibrator and similar; removed in
// TensorRT 11).
type Calibrator interface {
	// Batch returns the address in GPU memory of each input's data in the next batch, or nil after
	// the last batch.
	Batch(names []string) []uintptr
	ReadCache() []byte // nil makes TensorRT calibrate
	WriteCache(data []byte)
}

// Calibration says how INT8 calibration computes scales. Only the legacy algorithm uses Quantile
// and Cutoff.
type Calibration struct {
	Algorithm        Algorithm
	Quantile, Cutoff float64
}

// Callback is an object that TensorRT calls and that forwards each call to a Go value. Its owner
// must close it, but only after deleting all objects that use it.
type Callback struct {
	c      *C.trt_callback
	handle cgo.Handle
	target any

	mu       sync.Mutex
	panicked any
	failed   error
}

func (l *Library) newCallback(kind C.trt_interface, target any) *Callback {
	c := &Callback{target: target}
	c.handle = cgo.NewHandle(c)
	c.c = C.trt_callback_new(kind, C.int(l.c.major), C.uintptr_t(c.handle))
	return c
}

// Monitor returns a callback (IProgressMonitor) that calls goOn after each step of a build. If goOn
// returns false, TensorRT cancels the build.
func (l *Library) Monitor(goOn func() bool) *Callback { return l.newCallback(C.TRT_MONITOR, goOn) }

func (l *Library) Allocator(a Allocator) *Callback { return l.newCallback(C.TRT_ALLOCATOR, a) }
func (l *Library) Listener(t Listener) *Callback   { return l.newCallback(C.TRT_LISTENER, t) }

// Calibrator returns a callback that calls c.
func (l *Library) Calibrator(how Calibration, c Calibrator) *Callback {
	callback := l.newCallback(C.TRT_LEGACY_CALIBRATOR+C.trt_interface(how.Algorithm), c)
	callback.c.algorithm = C.int32_t(how.Algorithm)
	callback.c.quantile, callback.c.cutoff = C.double(how.Quantile), C.double(how.Cutoff)
	return callback
}

func (c *Callback) pointer() unsafe.Pointer {
	if c == nil {
		return nil
	}
	return unsafe.Pointer(c.c)
}

// Close frees the object. Closing twice, or closing nil, is harmless.
func (c *Callback) Close() {
	if c == nil || c.c == nil {
		return
	}
	C.free(c.c.memory)
	C.free(unsafe.Pointer(c.c))
	c.handle.Delete()
	c.c = nil
}

// Fail records an error that occurred in a Go function called by TensorRT, because such a function
// cannot return an error. Only the first error is kept.
func (c *Callback) Fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

// Err returns the error that was recorded since the last call of Err, or nil. If a Go function
// called by TensorRT has panicked, Err repeats the panic. A panic is stored until TensorRT has
// returned, because it must not unwind TensorRT's stack frames.
func (c *Callback) Err() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	value, err := c.panicked, c.failed
	c.panicked, c.failed = nil, nil
	c.mu.Unlock()
	if value != nil {
		panic(value)
	}
	return err
}

// call calls f with the Go value behind a handle. If f panics, call stores the panic for
// [Callback.Err].
func call[T any](handle C.uintptr_t, f func(T)) {
	c := cgo.Handle(handle).Value().(*Callback)
	defer func() {
		if value := recover(); value != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.panicked == nil {
				c.panicked = value
			}
		}
	}()
	f(c.target.(T))
}
