// This header defines a typed function for each row of methods.h, which calls the TensorRT method
// in that slot.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The layouts of structs that TensorRT shares with callers; they are the same in 10.x and 11.x.
typedef struct {
	int32_t nb; // the rank, or -1 if it is unknown
	int64_t d[8];
} trt_dims;

// trt_slot is a slot that the opened library is known to have. Only Library.slot returns one, so a
// method in a VARIES row cannot be called before checking that the library has the method.
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

// trt_self returns the object to pass to a method. An object of a public class points to its
// implementation, whose class name begins with V; other objects are passed themselves. An attention
// boundary layer points to two implementations: first the layer's, then its own.
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

// trt_delete destroys o by calling its deleting destructor, which is slot 1 of a public class.
static inline void trt_delete(void *o) { ((void (*)(void *))trt_function(o, 1))(o); }

// trt_library holds the functions that are found at run time.
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

// These functions open a shared library. They return NULL on success, and otherwise an error
// message that the caller frees.
char *trt_open(const char *path, trt_library *library);
char *trt_open_parser(const char *path, trt_library *library);
char *trt_open_plugins(const char *path, trt_library *library);

// These wrappers exist because cgo cannot call function pointers.
void *trt_create_builder(const trt_library *l, void *logger);
void *trt_create_runtime(const trt_library *l, void *logger);
void *trt_create_refitter(const trt_library *l, void *engine, void *logger);
void *trt_create_parser(const trt_library *l, void *network, void *logger);
void *trt_create_parser_refitter(const trt_library *l, void *refitter, void *logger);
bool trt_init_plugins(const trt_library *l, void *logger);
bool trt_set_library_path(const trt_library *l, const char *path);
