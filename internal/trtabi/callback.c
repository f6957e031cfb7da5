//go:build linux && cgo

#include "callback.h"

#include <stdlib.h>

#include "_cgo_export.h"

// Most functions below only unpack their arguments and call Go.
#define HANDLE(o) (((const trt_callback *)(o))->handle)

typedef struct {
	const char *kind;
	int32_t major, minor;
} interface_info;

static int32_t api_language(const void *o) { return 0; /* C++ */ }
static void never_deleted(void *o) {} // TensorRT does not own our objects

static void on_log(void *o, int32_t severity, const char *text) {
	trtLog(HANDLE(o), severity, (char *)text);
}

static void on_phase(void *o, const char *name, const char *parent, int32_t steps) {}
static bool on_step(void *o, const char *name, int32_t step) { return trtStep(HANDLE(o)); }
static void on_finish(void *o, const char *name) { (void)o, (void)name; }

static void *on_reallocate_async(void *o, const char *name, void *now, uint64_t size,
	uint64_t alignment, void *stream) {
	return (void *)trtReallocate(HANDLE(o), (char *)name, size);
}
static void *on_reallocate(void *o, const char *name, void *now, uint64_t size,
	uint64_t alignment) {
	return on_reallocate_async(o, name, now, size, alignment, NULL);
}
static void on_shape(void *o, const char *name, const trt_dims *shape) {
	trtNotifyShape(HANDLE(o), (char *)name, (trt_dims *)shape);
}

static bool on_debug_tensor(void *o, const void *address, int32_t location, int32_t type,
	const trt_dims *shape, const char *name, void *stream) {
	return trtDebugTensor(HANDLE(o), (uintptr_t)address, location, type, (trt_dims *)shape,
		(char *)name);
}

// TensorRT reads the batch size only for networks without a batch dimension of their own.
static int32_t batch_size(const void *o) { return 1; }
static bool batch(void *o, void *bindings[], const char *names[], int32_t n) {
	return trtBatch(HANDLE(o), (uintptr_t *)bindings, (char **)names, n);
}
static const void *read_cache(void *o, size_t *size) {
	trt_callback *c = o;
	free(c->memory);
	c->memory = trtReadCache(c->handle, size);
	return c->memory;
}
static void write_cache(void *o, const void *data, size_t size) {
	trtWriteCache(HANDLE(o), (void *)data, size);
}
static int32_t algorithm(void *o) { return ((const trt_callback *)o)->algorithm; }
static double quantile(const void *o) { return ((const trt_callback *)o)->quantile; }
static double cutoff(const void *o) { return ((const trt_callback *)o)->cutoff; }
static const void *read_histogram(void *o, size_t *size) { return *size = 0, NULL; }
static void write_histogram(void *o, const void *data, size_t size) {}

static int32_t on_select(void *o, void *context, void *const *choices, int32_t n,
	int32_t *selection) {
	return trtSelect(HANDLE(o), context, (void **)choices, n, selection);
}
static void on_report(void *o, void *const *contexts, void *const *choices, int32_t n) {
	trtReport(HANDLE(o), (void **)contexts, (void **)choices, n);
}

// INFO defines an interface's getInterfaceInfo.
#define INFO(function, name)                                                                \
	static interface_info function(const void *o) { return (interface_info){name, 1, 0}; }
INFO(logger_info, "ILogger")
INFO(monitor_info, "IProgressMonitor")
INFO(allocator_info, "IOutputAllocator")
INFO(listener_info, "IDebugListener")
INFO(legacy_info, "IInt8Calibrator")
INFO(entropy_info, "IInt8EntropyCalibrator")
INFO(entropy2_info, "IInt8EntropyCalibrator2")
INFO(minmax_info, "IInt8MinMaxCalibrator")
INFO(selector_info, "IAlgorithmSelector")

// An object points to the third word of its virtual table. The first two words are the offset to
// the top of the object and its type information, which TensorRT does not use. VERSIONED lists the
// methods of IVersionedInterface; ILogger derives from it since 11.0.
#define TABLE(name) static const void *const name[] =
#define BEFORE NULL, NULL
#define VERSIONED(info) BEFORE, api_language, info, never_deleted, never_deleted
#define CALIBRATOR(info)                                                                    \
	VERSIONED(info), batch_size, batch, read_cache, write_cache, algorithm

TABLE(logger10) {BEFORE, on_log, never_deleted, never_deleted};
TABLE(logger11) {VERSIONED(logger_info), on_log};
TABLE(monitor) {VERSIONED(monitor_info), on_phase, on_step, on_finish};
TABLE(allocator) {VERSIONED(allocator_info), on_reallocate, on_reallocate_async, on_shape};
TABLE(listener) {VERSIONED(listener_info), on_debug_tensor};
TABLE(legacy) {CALIBRATOR(legacy_info), quantile, cutoff, read_histogram, write_histogram};
TABLE(entropy) {CALIBRATOR(entropy_info)};
TABLE(entropy2) {CALIBRATOR(entropy2_info)};
TABLE(minmax) {CALIBRATOR(minmax_info)};
TABLE(selector) {VERSIONED(selector_info), on_select, on_report};

trt_callback *trt_callback_new(trt_interface kind, int major, uintptr_t handle) {
	static const void *const *const tables[] = {
		[TRT_MONITOR] = monitor,
		[TRT_ALLOCATOR] = allocator,
		[TRT_LISTENER] = listener,
		[TRT_LEGACY_CALIBRATOR] = legacy,
		[TRT_ENTROPY_CALIBRATOR] = entropy,
		[TRT_ENTROPY_CALIBRATOR_2] = entropy2,
		[TRT_MINMAX_CALIBRATOR] = minmax,
		[TRT_SELECTOR] = selector,
	};
	const void *const *table =
		kind == TRT_LOGGER ? (major == 10 ? logger10 : logger11) : tables[kind];
	trt_callback *c = calloc(1, sizeof *c);
	*c = (trt_callback){.table = table + 2, .handle = handle};
	return c;
}
