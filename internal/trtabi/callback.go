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

// Monitor follows a build (IProgressMonitor). Phases nest; parent is "" for the outermost.
type Monitor interface {
	PhaseStart(name, parent string, steps int)
	// Step is called after each step of a phase; false asks TensorRT to give up the build.
	Step(name string, step int) bool
	PhaseFinish(name string)
}

// Allocator gives memory to outputs whose size only the inference knows (IOutputAllocator).
type Allocator interface {
	// Reallocate gives the address of at least size bytes in GPU memory, or 0.
	Reallocate(name string, size int) uintptr
	NotifyShape(name string, shape []int)
}

// Listener receives debug tensors (IDebugListener). Their memory is valid during the call only.
type Listener interface {
	DebugTensor(name string, elem DataType, shape []int, address uintptr, onHost bool) bool
}

// Calibrator feeds INT8 calibration (IInt8Calibrator and its kin; gone in TensorRT 11).
type Calibrator interface {
	BatchSize() int
	// Batch gives the address in GPU memory of the next batch of each input, or nil at the end.
	Batch(names []string) []uintptr
	ReadCache() []byte // nil: calibrate
	WriteCache(data []byte)
	Quantile() float64         // for the legacy calibrator only
	RegressionCutoff() float64 // likewise
}

// Callback is an object of ours that TensorRT calls. It must outlive every object that was given
// it; then its owner closes it.
type Callback struct {
	c      *C.trt_callback
	handle cgo.Handle
	target any

	mu       sync.Mutex
	panicked any
}

func (l *Library) newCallback(kind C.trt_interface, target any) *Callback {
	c := &Callback{target: target}
	c.handle = cgo.NewHandle(c)
	c.c = C.trt_callback_new(kind, C.int(l.c.major), C.uintptr_t(c.handle))
	return c
}

// Monitor, Allocator and Listener make the object through which TensorRT calls a Go value.
func (l *Library) Monitor(m Monitor) *Callback     { return l.newCallback(C.TRT_MONITOR, m) }
func (l *Library) Allocator(a Allocator) *Callback { return l.newCallback(C.TRT_ALLOCATOR, a) }
func (l *Library) Listener(t Listener) *Callback   { return l.newCallback(C.TRT_LISTENER, t) }

// Calibrator makes a calibrator object for that algorithm.
func (l *Library) Calibrator(a Algorithm, c Calibrator) *Callback {
	kinds := map[Algorithm]C.trt_interface{
		Legacy:   C.TRT_LEGACY_CALIBRATOR,
		Entropy:  C.TRT_ENTROPY_CALIBRATOR,
		Entropy2: C.TRT_ENTROPY_CALIBRATOR_2,
		MinMax:   C.TRT_MINMAX_CALIBRATOR,
	}
	return l.newCallback(kinds[a], calibration{c, a})
}

type calibration struct {
	Calibrator
	algorithm Algorithm
}

func (c *Callback) pointer() unsafe.Pointer {
	if c == nil {
		return nil
	}
	return unsafe.Pointer(c.c)
}

// Close frees the object. Closing twice is harmless, and so is closing nil.
func (c *Callback) Close() {
	if c == nil || c.c == nil {
		return
	}
	C.free(c.c.memory)
	C.free(unsafe.Pointer(c.c))
	c.handle.Delete()
	c.c = nil
}

// Repanic panics again with what a Go function panicked with while TensorRT was calling it. A
// panic may not cross TensorRT's own frames, so it is kept until the call that led there returns.
func (c *Callback) Repanic() {
	if c == nil {
		return
	}
	c.mu.Lock()
	value := c.panicked
	c.panicked = nil
	c.mu.Unlock()
	if value != nil {
		panic(value)
	}
}

// call runs f with the target of a handle, and keeps its panic.
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
