//go:build cgo && (linux || darwin)

#include "abi.h"

#include <dlfcn.h>
#include <string.h>

const char *mptract_find(void *library, mptract *t) {
#define MPTRACT_FIND(name, result, parameters) \
	if (!(*(void **)&t->name = dlsym(library, "tract_" #name))) \
		return "tract_" #name;
	MPTRACT_ENTRIES(MPTRACT_FIND)
#undef MPTRACT_FIND
	return NULL;
}

const char *mptract_version(const mptract *t) { return t->version(); }

// said is what tract says about a call that gave status.
static char *said(const mptract *t, int status) {
	if (!status)
		return NULL;
	const char *text = t->get_last_error();
	return strdup(text ? text : "no reason given");
}

// CHECKED gives back what tract says where a call fails.
#define CHECKED(call) \
	do { \
		char *wrong = said(t, call); \
		if (wrong) \
			return wrong; \
	} while (0)

static char *parse(const mptract *t, const char *path, const void *data, size_t size,
	void **model) {
	void *onnx = NULL;
	CHECKED(t->onnx_create(&onnx));
	char *wrong = said(t, path ? t->onnx_load(onnx, path, model)
				   : t->onnx_load_buffer(onnx, data, size, model));
	t->onnx_destroy(&onnx);
	return wrong;
}

char *mptract_parse_file(const mptract *t, const char *path, void **model) {
	return parse(t, path, NULL, 0, model);
}

char *mptract_parse_bytes(const mptract *t, const void *data, size_t size, void **model) {
	return parse(t, NULL, data, size, model);
}

char *mptract_counts(const mptract *t, void *model, size_t *inputs, size_t *outputs) {
	CHECKED(t->inference_model_input_count(model, inputs));
	return said(t, t->inference_model_output_count(model, outputs));
}

char *mptract_set_input(const mptract *t, void *model, size_t index, const char *text) {
	void *fact = NULL;
	CHECKED(t->inference_fact_parse(model, text, &fact));
	char *wrong = said(t, t->inference_model_set_input_fact(model, index, fact));
	t->inference_fact_destroy(&fact);
	return wrong;
}

char *mptract_type(const mptract *t, void **parsed, void **typed) {
	return said(t, t->inference_model_into_model(parsed, typed));
}

char *mptract_transform(const mptract *t, void *typed, const char *transform) {
	return said(t, t->model_transform(typed, transform));
}

char *mptract_prepare(const mptract *t, void **typed, void **runnable) {
	void *runtime = NULL;
	CHECKED(t->runtime_for_name("cpu", &runtime));
	char *wrong = said(t, t->runtime_prepare(runtime, typed, runnable));
	t->runtime_release(&runtime);
	return wrong;
}

char *mptract_run(const mptract *t, void *runnable, void **inputs, void **outputs) {
	return said(t, t->runnable_run(runnable, inputs, outputs));
}

char *mptract_tensor(const mptract *t, uint32_t type, size_t rank, const size_t *shape, void *data,
	void **tensor) {
	// Rust's slices want an address that is aligned, even for nothing.
	static uint64_t nothing;
	return said(t, t->tensor_from_bytes(type, rank, shape ? shape : (size_t *)&nothing,
			       data ? data : &nothing, tensor));
}

char *mptract_read(const mptract *t, void *tensor, uint32_t *type, size_t *rank,
	const size_t **shape, const void **data) {
	return said(t, t->tensor_as_bytes(tensor, type, rank, shape, data));
}

char *mptract_convert(const mptract *t, void *tensor, uint32_t type, void **converted) {
	return said(t, t->tensor_convert_to(tensor, type, converted));
}

#define FREE(destroy, handle) \
	if (handle) \
	t->destroy(&handle)

void mptract_free_parsed(const mptract *t, void *model) { FREE(inference_model_destroy, model); }
void mptract_free_typed(const mptract *t, void *model) { FREE(model_destroy, model); }
void mptract_free_runnable(const mptract *t, void *run) { FREE(runnable_release, run); }
void mptract_free_tensor(const mptract *t, void *tensor) { FREE(tensor_destroy, tensor); }
