// A mock of the CUDA driver: "GPU memory" is the CPU's. It stands in for libcuda.so.1 where there
// is no GPU, with only the functions of internal/cuda/driver.h.
//
//   MOCK_CUDA_DEVICES  how many GPUs there are; 1 at first
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NO_ERROR = 0,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	NO_DEVICE = 100,
	INVALID_CONTEXT = 201,
};
static const size_t total = (size_t)1 << 30;
static atomic_size_t used;
static atomic_int initialized;
static _Thread_local void *current;
static int device_count(void) {
	const char *text = getenv("MOCK_CUDA_DEVICES");
	return text && *text ? atoi(text) : 1;
}

int cuInit(unsigned flags) {
	(void)flags;
	initialized = 1;
	return device_count() ? NO_ERROR : NO_DEVICE;
}
int mock_cuda_initialized(void) { return initialized; }
int cuDriverGetVersion(int *version) { return *version = 13000, NO_ERROR; }
int cuDeviceGetCount(int *n) { return *n = device_count(), NO_ERROR; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, NO_ERROR; }
int cuDeviceGetName(char *name, int size, int device) {
	return snprintf(name, (size_t)size, "Mock GPU %d", device), NO_ERROR;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
	(void)device;
	return *value = attribute == 75 ? 9 : 0, NO_ERROR;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
	return *context = (void *)(intptr_t)(0x1000 + device), NO_ERROR;
}
int cuCtxSetCurrent(void *context) { return current = context, NO_ERROR; }

// Every allocation carries its size before it.
int cuMemAlloc_v2(uint64_t *p, size_t size) {
	if (!initialized) return NOT_INITIALIZED;
	if (!current) return INVALID_CONTEXT;
	if (size > total - used) return OUT_OF_MEMORY;
	size_t *block = calloc(1, size + 64);
	*block = size;
	used += size;
	return *p = (uint64_t)(uintptr_t)block + 64, NO_ERROR;
}
int cuMemFree_v2(uint64_t p) {
	size_t *block = (size_t *)(uintptr_t)(p - 64);
	used -= *block;
	free(block);
	return NO_ERROR;
}
int cuMemGetInfo_v2(size_t *left, size_t *all) {
	return *left = total - used, *all = total, NO_ERROR;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
	if (!stream) return INVALID_CONTEXT;
	return memcpy((void *)(uintptr_t)to, from, size), NO_ERROR;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
	if (!stream) return INVALID_CONTEXT;
	return memcpy(to, (const void *)(uintptr_t)from, size), NO_ERROR;
}
// A stream is counted as memory, so that one that is not destroyed shows.
int cuStreamCreate(void **stream, unsigned flags) {
	(void)flags;
	uint64_t p;
	int r = cuMemAlloc_v2(&p, 1);
	return *stream = (void *)(uintptr_t)p, r;
}
int cuStreamSynchronize(void *stream) { return stream ? NO_ERROR : INVALID_CONTEXT; }
int cuStreamDestroy_v2(void *stream) { return cuMemFree_v2((uint64_t)(uintptr_t)stream); }

int cuGetErrorName(int r, const char **text) {
	*text = r == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
		: r == NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
							   : "CUDA_ERROR_MOCK";
	return NO_ERROR;
}
int cuGetErrorString(int r, const char **text) {
	*text = r == OUT_OF_MEMORY ? "out of memory"
		: r == NO_DEVICE       ? "no CUDA-capable device is detected"
							   : "mock error";
	return NO_ERROR;
}
