// Objects whose methods TensorRT calls. Each has a virtual table from callback.c and the handle of
// a Go value.
#pragma once
#include "call.h"

typedef struct {
	const void *table; // where C++ keeps an object's virtual table
	uintptr_t handle;  // of a cgo.Handle
	void *memory;      // kept by Go for TensorRT, and freed with the object

	// A calibrator returns these to TensorRT.
	int32_t algorithm;
	double quantile, cutoff;
} trt_callback;

// The TensorRT interface that a callback implements. The calibrators are in the order of
// CalibrationAlgoType.
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

// trt_callback_new creates an object that implements an interface of a major version. The caller
// frees it with free().
trt_callback *trt_callback_new(trt_interface kind, int major, uintptr_t handle);
