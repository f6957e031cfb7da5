// Objects that TensorRT calls back: a virtual table of ours and the handle of a Go value.
#pragma once
#include "call.h"

typedef struct {
	const void *table; // where C++ keeps an object's virtual table
	uintptr_t handle;  // of a cgo.Handle
	void *memory;      // that the Go side keeps for TensorRT, freed with the object
} trt_callback;

// Which interface of TensorRT a callback implements.
typedef enum {
	TRT_LOGGER,
	TRT_MONITOR,
	TRT_ALLOCATOR,
	TRT_LISTENER,
	TRT_LEGACY_CALIBRATOR,
	TRT_ENTROPY_CALIBRATOR,
	TRT_ENTROPY_CALIBRATOR_2,
	TRT_MINMAX_CALIBRATOR,
	TRT_SELECTOR,
} trt_interface;

// trt_callback_new makes an object for that interface of that major version; free() ends it.
trt_callback *trt_callback_new(trt_interface kind, int major, uintptr_t handle);
