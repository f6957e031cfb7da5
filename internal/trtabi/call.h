// Calling TensorRT's methods through their slots: one typed function for every row of methods.h.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Layouts that cross the boundary, the same in 10.x and 11.x.
typedef struct {
	int32_t nb; // the rank; -1 where it is unknown
	int64_t d[8];
} trt_dims;

// trt_slot is a slot that the library in use is known to have. Only Library.slot makes one, so a
// method of a VARIES row cannot be called without asking whether it is there.
typedef struct {
	int32_t number;
} trt_slot;

// trt_row is a row of methods.h as data.
typedef struct {
	const char *class, *method;
	int32_t since, slot10, slot11;
} trt_row;

// The rows' numbers in trt_rows: trt_VBuilder_createNetworkV2.
enum {
#define ALWAYS(class, method, slot10, slot11, result, params, args) trt_##class##_##method,
#define VARIES(class, method, since, slot10, slot11, result, params, args)                  \
	trt_##class##_##method,
#include "methods.h"
#undef ALWAYS
#undef VARIES
	trt_row_count
};
extern const trt_row trt_rows[];

// trt_self is what a method takes: of a public class, whose internal name begins with V, the
// implementation that it points to; otherwise the object itself. An attention's boundary derives
// from a layer, so that it points to two implementations, the layer's first.
static inline void *trt_self(const char *class, void *o) {
	if (class[0] != 'V') return o;
	return ((void **)o)[strcmp(class, "VAttentionBoundaryLayer") ? 1 : 2];
}

static inline void *trt_function(void *self, int32_t slot) { return (*(void ***)self)[slot]; }

#define TRT_LIST(...) __VA_ARGS__
#define TRT_CALL(class, slot, result, params, args)                                         \
	void *self = trt_self(#class, o);                                                       \
	void *f = trt_function(self, slot);                                                     \
	return ((result(*)(void *TRT_LIST params))f)(self TRT_LIST args)
#define ALWAYS(class, method, slot10, slot11, result, params, args)                         \
	static inline result class##_##method(int major, void *o TRT_LIST params) {             \
		TRT_CALL(class, major == 10 ? slot10 : slot11, result, params, args);               \
	}
#define VARIES(class, method, since, slot10, slot11, result, params, args)                  \
	static inline result class##_##method(trt_slot slot, void *o TRT_LIST params) {         \
		TRT_CALL(class, slot.number, result, params, args);                                 \
	}
#include "methods.h"
#undef ALWAYS
#undef VARIES

// trt_delete destroys o: slot 1 of a public class's own table is its deleting destructor.
static inline void trt_delete(void *o) { ((void (*)(void *))trt_function(o, 1))(o); }

// trt_library is what is opened at run time. The parser is optional, and so is all but the runtime
// in the lean library.
typedef struct {
	int32_t major, minor, patch, build, version, parser_version;
	void *(*create_builder)(void *logger, int32_t version);
	void *(*create_runtime)(void *logger, int32_t version);
	void *(*create_refitter)(void *engine, void *logger, int32_t version);
	void *(*create_parser)(void *network, void *logger, int32_t version);
	void *(*create_parser_refitter)(void *refitter, void *logger, int32_t version);
	bool (*init_plugins)(void *logger, const char *space);
	bool (*set_library_path)(const char *path); // from 10.16 on
} trt_library;

// Each opens a shared library and returns NULL, or what is wrong, in memory that the caller frees.
char *trt_open(const char *path, trt_library *library);
char *trt_open_parser(const char *path, trt_library *library);
char *trt_open_plugins(const char *path, trt_library *library);

// For cgo, which cannot call a function pointer.
void *trt_create_builder(const trt_library *l, void *logger);
void *trt_create_runtime(const trt_library *l, void *logger);
void *trt_create_refitter(const trt_library *l, void *engine, void *logger);
void *trt_create_parser(const trt_library *l, void *network, void *logger);
void *trt_create_parser_refitter(const trt_library *l, void *refitter, void *logger);
bool trt_init_plugins(const trt_library *l, void *logger);
bool trt_set_library_path(const trt_library *l, const char *path);
