//go:build linux && cgo

package trtabi

// #include <stdlib.h>
// #include "call.h"
import "C"

import "unsafe"

// callback.c calls the following functions from any of TensorRT's threads. If the Go code panics,
// each function returns the value that makes TensorRT stop its work.

//export trtLog
func trtLog(handle C.uintptr_t, severity C.int32_t, text *C.char) {
	call(handle, func(l *Log) { l.write(Severity(severity), C.GoString(text)) })
}

//export trtStep
func trtStep(handle C.uintptr_t) (goOn C.bool) {
	call(handle, func(f func() bool) { goOn = C.bool(f()) })
	return goOn
}

//export trtReallocate
func trtReallocate(handle C.uintptr_t, name *C.char, size C.uint64_t) (p C.uintptr_t) {
	call(handle, func(a Allocator) {
		p = C.uintptr_t(a.Reallocate(C.GoString(name), int(size)))
	})
	return p
}

//export trtNotifyShape
func trtNotifyShape(handle C.uintptr_t, name *C.char, shape *C.trt_dims) {
	call(handle, func(a Allocator) { a.NotifyShape(C.GoString(name), goDims(*shape)) })
}

//export trtDebugTensor
func trtDebugTensor(handle, address C.uintptr_t, location, elem C.int32_t, shape *C.trt_dims,
	name *C.char) (goOn C.bool) {
	call(handle, func(l Listener) {
		goOn = C.bool(l.DebugTensor(C.GoString(name), DataType(elem), goDims(*shape),
			uintptr(address), location == onHost))
	})
	return goOn
}

//export trtBatch
func trtBatch(handle C.uintptr_t, bindings *C.uintptr_t, names **C.char,
	n C.int32_t) (more C.bool) {
	call(handle, func(c Calibrator) {
		addresses := c.Batch(goStrings(names, int(n)))
		if addresses == nil {
			return
		}
		for i, address := range addresses {
			unsafe.Slice(bindings, n)[i] = C.uintptr_t(address)
		}
		more = true
	})
	return more
}

//export trtReadCache
func trtReadCache(handle C.uintptr_t, size *C.size_t) (data unsafe.Pointer) {
	*size = 0
	call(handle, func(c Calibrator) {
		if cache := c.ReadCache(); len(cache) > 0 {
			data, *size = C.CBytes(cache), C.size_t(len(cache))
		}
	})
	return data
}

//export trtWriteCache
func trtWriteCache(handle C.uintptr_t, data unsafe.Pointer, size C.size_t) {
	call(handle, func(c Calibrator) { c.WriteCache(C.GoBytes(data, C.int(size))) })
}

//export trtSelect
func trtSelect(handle C.uintptr_t, context unsafe.Pointer, choices *unsafe.Pointer, n C.int32_t,
	to *C.int32_t) (chosen C.int32_t) {
	call(handle, func(s selection) {
		tactics := make([]Tactic, n)
		for i, choice := range unsafe.Slice(choices, n) {
			tactics[i] = s.read(context, choice)
		}
		selected := s.Select(s.layer(context), tactics)
		for i, index := range selected {
			unsafe.Slice(to, n)[i] = C.int32_t(index)
		}
		chosen = C.int32_t(len(selected))
	})
	return chosen
}

//export trtReport
func trtReport(handle C.uintptr_t, contexts, choices *unsafe.Pointer, n C.int32_t) {
	call(handle, func(s selection) {
		for i, context := range unsafe.Slice(contexts, n) {
			s.Report(s.layer(context), s.read(context, unsafe.Slice(choices, n)[i]))
		}
	})
}
