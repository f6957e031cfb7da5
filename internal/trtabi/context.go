//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Context executes an engine, one inference at a time (IExecutionContext). It must be deleted
// before its engine.
type Context struct{ object }

// SetProfile chooses the optimization profile for later inferences in the given stream.
func (c Context) SetProfile(profile int, stream unsafe.Pointer) bool {
	return bool(C.VExecutionContext_setOptimizationProfileAsync(c.major(), c.p, C.int32_t(profile),
		stream))
}

// SetInputShape sets the shape of an input. It returns false if the profile does not allow the
// shape.
func (c Context) SetInputShape(name string, shape []int) (bool, error) {
	d, err := dims(shape)
	if err != nil {
		return false, err
	}
	return named(name, func(name *C.char) bool {
		return bool(C.VExecutionContext_setInputShape(c.major(), c.p, name, &d))
	}), nil
}

// Shape returns a tensor's shape for the current input shapes. A dimension is -1 if it becomes
// known only during the inference.
func (c Context) Shape(name string) []int {
	return named(name, func(name *C.char) []int {
		return goDims(C.VExecutionContext_getTensorShape(c.major(), c.p, name))
	})
}

// Strides returns the distance between neighbours along each dimension. The distance is in
// elements, or in vectors if the format packs elements into vectors.
func (c Context) Strides(name string) []int {
	return named(name, func(name *C.char) []int {
		return goDims(C.VExecutionContext_getTensorStrides(c.major(), c.p, name))
	})
}

// SetAddress sets the memory address of a tensor. The memory must be on the CPU or the GPU, as the
// tensor's [Binding] says.
func (c Context) SetAddress(name string, address uintptr) bool {
	return named(name, func(name *C.char) bool {
		return bool(C.VExecutionContext_setTensorAddress(c.major(), c.p, name,
			C.uintptr_t(address)))
	})
}

// SetAllocator sets the allocator of an output.
func (c Context) SetAllocator(name string, allocator *Callback) bool {
	return named(name, func(name *C.char) bool {
		return bool(C.VExecutionContext_setOutputAllocator(c.major(), c.p, name,
			allocator.pointer()))
	})
}

// InferShapes computes all shapes that can be known before the inference. If the shape or the
// values of an input are missing, the error names the input.
func (c Context) InferShapes() error {
	first := (**C.char)(C.calloc(1, C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(first))
	switch n := C.VExecutionContext_inferShapes(c.major(), c.p, 1, first); {
	case n < 0:
		return fmt.Errorf("TensorRT cannot infer shapes from these inputs")
	case n > 0:
		return fmt.Errorf("input %q and %d other inputs are not set", C.GoString(*first), n-1)
	}
	return nil
}

// Enqueue starts an inference in a stream.
func (c Context) Enqueue(stream unsafe.Pointer) bool {
	return bool(C.VExecutionContext_enqueueV3(c.major(), c.p, stream))
}

// MemoryForShapes returns how many bytes of GPU memory an inference with the current shapes needs,
// for callers that provide the memory with [Context.SetMemory].
func (c Context) MemoryForShapes() int {
	return int(C.VExecutionContext_updateDeviceMemorySizeForShapes(c.major(), c.p))
}

// SetMemory sets the memory in which the context works (10.1 and later).
func (c Context) SetMemory(address uintptr, size int) error {
	return c.l.varying(C.trt_VExecutionContext_setDeviceMemoryV2, func(slot C.trt_slot) {
		C.VExecutionContext_setDeviceMemoryV2(slot, c.p, C.uintptr_t(address), C.int64_t(size))
	})
}

// SetListener sets the receiver of debug tensors; nil means none.
func (c Context) SetListener(listener *Callback) bool {
	return bool(C.VExecutionContext_setDebugListener(c.major(), c.p, listener.pointer()))
}

// Debug turns on a debug tensor. It returns false if the tensor was not marked as one in the build.
func (c Context) Debug(name string) bool {
	return named(name, func(name *C.char) bool {
		return bool(C.VExecutionContext_setTensorDebugState(c.major(), c.p, name, true))
	})
}

// DebugUnfused turns on all unfused debug tensors (10.12 and later).
func (c Context) DebugUnfused() error {
	slot, err := c.l.slot(C.trt_VExecutionContext_setUnfusedTensorsDebugState)
	if err == nil && !bool(C.VExecutionContext_setUnfusedTensorsDebugState(slot, c.p, true)) {
		err = errors.New("TensorRT cannot enable unfused debug tensors")
	}
	return err
}
