//go:build linux && cgo

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

char *cuda_open(const char *path, cuda_driver *driver) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) return strdup(dlerror());
	char *missing = NULL;
#define FIND(field, symbol, params)                                                         \
	*(void **)&driver->field = dlsym(library, #symbol);                                     \
	if (!driver->field && !missing && asprintf(&missing, "%s lacks " #symbol, path) < 0)    \
		missing = strdup(#symbol " is missing");
	CUDA_FUNCTIONS(FIND)
#undef FIND
	return missing; // the library stays open: it cannot be unloaded safely once it was used
}

// WITH makes the context current and then calls.
#define WITH(call)                                                                          \
	cu_result r = d->set_current(c);                                                        \
	return r ? r : d->call

cu_result cuda_alloc(const cuda_driver *d, cu_context c, cu_ptr *p, size_t size) {
	WITH(alloc(p, size));
}
cu_result cuda_free(const cuda_driver *d, cu_context c, cu_ptr p) { WITH(free(p)); }
cu_result cuda_mem_info(const cuda_driver *d, cu_context c, size_t *free, size_t *total) {
	WITH(mem_info(free, total));
}
cu_result cuda_stream_create(const cuda_driver *d, cu_context c, cu_stream *s) {
	WITH(stream_create(s, 1 /* does not wait for the default stream */));
}
cu_result cuda_stream_wait(const cuda_driver *d, cu_context c, cu_stream s) {
	WITH(stream_wait(s));
}
cu_result cuda_stream_destroy(const cuda_driver *d, cu_context c, cu_stream s) {
	WITH(stream_destroy(s));
}

// A copy waits for its stream even when it was refused, so that no transfer outlives the Go
// memory that it reads or writes.
cu_result cuda_to_device(const cuda_driver *d, cu_context c, cu_ptr to, const void *from,
	size_t size, cu_stream s) {
	cu_result r = d->set_current(c);
	if (r) return r;
	r = d->to_device(to, from, size, s);
	cu_result waited = d->stream_wait(s);
	return r ? r : waited;
}
cu_result cuda_to_host(const cuda_driver *d, cu_context c, void *to, cu_ptr from, size_t size,
	cu_stream s) {
	cu_result r = d->set_current(c);
	if (r) return r;
	r = d->to_host(to, from, size, s);
	cu_result waited = d->stream_wait(s);
	return r ? r : waited;
}

cu_result cuda_init(const cuda_driver *d) { return d->init(0); }
cu_result cuda_driver_version(const cuda_driver *d, int *v) { return d->driver_version(v); }
cu_result cuda_device_count(const cuda_driver *d, int *n) { return d->device_count(n); }
cu_result cuda_device(const cuda_driver *d, int *device, int ordinal) {
	return d->device(device, ordinal);
}
cu_result cuda_device_name(const cuda_driver *d, char *name, int size, int device) {
	return d->device_name(name, size, device);
}
cu_result cuda_attribute(const cuda_driver *d, int *value, int attribute, int device) {
	return d->attribute(value, attribute, device);
}
cu_result cuda_retain(const cuda_driver *d, cu_context *context, int device) {
	return d->retain(context, device);
}
cu_result cuda_set_current(const cuda_driver *d, cu_context c) { return d->set_current(c); }

const char *cuda_error_name(const cuda_driver *d, cu_result r) {
	const char *text = NULL;
	return d->error_name(r, &text) || !text ? "unknown CUDA error" : text;
}
const char *cuda_error_text(const cuda_driver *d, cu_result r) {
	const char *text = NULL;
	return d->error_text(r, &text) || !text ? "no description" : text;
}
