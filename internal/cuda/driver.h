// The CUDA driver's C functions that we call, found at run time: no header and no library is
// needed to build. Names and signatures are NVIDIA's public driver API.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef int cu_result;    // 0 is success
typedef uint64_t cu_ptr;  // an address in GPU memory
typedef void *cu_context;
typedef void *cu_stream;

// FN(field, symbol, parameters): _v2 is how the driver spells the current form of a function.
#define CUDA_FUNCTIONS(FN)                                                                  \
	FN(init, cuInit, (unsigned flags))                                                      \
	FN(driver_version, cuDriverGetVersion, (int *version))                                  \
	FN(device_count, cuDeviceGetCount, (int *n))                                            \
	FN(device, cuDeviceGet, (int *device, int ordinal))                                     \
	FN(device_name, cuDeviceGetName, (char *name, int size, int device))                    \
	FN(attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))            \
	FN(retain, cuDevicePrimaryCtxRetain, (cu_context *context, int device))                 \
	FN(set_current, cuCtxSetCurrent, (cu_context context))                                  \
	FN(alloc, cuMemAlloc_v2, (cu_ptr *p, size_t size))                                      \
	FN(free, cuMemFree_v2, (cu_ptr p))                                                      \
	FN(mem_info, cuMemGetInfo_v2, (size_t *free, size_t *total))                            \
	FN(to_device, cuMemcpyHtoDAsync_v2, (cu_ptr to, const void *from, size_t, cu_stream))   \
	FN(to_host, cuMemcpyDtoHAsync_v2, (void *to, cu_ptr from, size_t, cu_stream))           \
	FN(stream_create, cuStreamCreate, (cu_stream *s, unsigned flags))                       \
	FN(stream_wait, cuStreamSynchronize, (cu_stream s))                                     \
	FN(stream_destroy, cuStreamDestroy_v2, (cu_stream s))                                   \
	FN(error_name, cuGetErrorName, (cu_result r, const char **text))                        \
	FN(error_text, cuGetErrorString, (cu_result r, const char **text))

#define FIELD(field, symbol, params) cu_result(*field) params;
typedef struct {
	CUDA_FUNCTIONS(FIELD)
} cuda_driver;
#undef FIELD

// cuda_open opens the library and finds every function. It returns NULL, or what is wrong, in
// memory that the caller frees.
char *cuda_open(const char *path, cuda_driver *driver);

// Every call below makes context current first: the driver keeps the current context by thread,
// and goroutines move between threads. A copy is complete when the call returns.
cu_result cuda_alloc(const cuda_driver *d, cu_context c, cu_ptr *p, size_t size);
cu_result cuda_free(const cuda_driver *d, cu_context c, cu_ptr p);
cu_result cuda_mem_info(const cuda_driver *d, cu_context c, size_t *free, size_t *total);
cu_result cuda_to_device(const cuda_driver *d, cu_context c, cu_ptr to, const void *from,
	size_t size, cu_stream s);
cu_result cuda_to_host(const cuda_driver *d, cu_context c, void *to, cu_ptr from, size_t size,
	cu_stream s);
cu_result cuda_stream_create(const cuda_driver *d, cu_context c, cu_stream *s);
cu_result cuda_stream_wait(const cuda_driver *d, cu_context c, cu_stream s);
cu_result cuda_stream_destroy(const cuda_driver *d, cu_context c, cu_stream s);

// Calls that need no context, for cgo, which cannot call a function pointer.
cu_result cuda_init(const cuda_driver *d);
cu_result cuda_driver_version(const cuda_driver *d, int *version);
cu_result cuda_device_count(const cuda_driver *d, int *n);
cu_result cuda_device(const cuda_driver *d, int *device, int ordinal);
cu_result cuda_device_name(const cuda_driver *d, char *name, int size, int device);
cu_result cuda_attribute(const cuda_driver *d, int *value, int attribute, int device);
cu_result cuda_retain(const cuda_driver *d, cu_context *context, int device);
cu_result cuda_set_current(const cuda_driver *d, cu_context context);
const char *cuda_error_name(const cuda_driver *d, cu_result r);
const char *cuda_error_text(const cuda_driver *d, cu_result r);
