// tract's C API, as far as it is used here: the entries by name, and a wrapper for each that may
// fail. tract keeps its last error per thread, so a wrapper fetches it before Go may change
// threads.
#ifndef MODELPARITY_TRACT_ABI_H
#define MODELPARITY_TRACT_ABI_H

#include <stddef.h>
#include <stdint.h>

// MPTRACT_ENTRIES lists name, result and parameters. Handles are opaque; a handle that is destroyed
// or given away is passed by its address and left NULL.
#define MPTRACT_ENTRIES(ENTRY) \
	ENTRY(get_last_error, const char *, (void)) \
	ENTRY(version, const char *, (void)) \
	ENTRY(onnx_create, int, (void **)) \
	ENTRY(onnx_destroy, int, (void **)) \
	ENTRY(onnx_load, int, (void *, const char *, void **)) \
	ENTRY(onnx_load_buffer, int, (void *, const void *, size_t, void **)) \
	ENTRY(inference_model_input_count, int, (void *, size_t *)) \
	ENTRY(inference_model_output_count, int, (void *, size_t *)) \
	ENTRY(inference_model_set_input_fact, int, (void *, size_t, void *)) \
	ENTRY(inference_model_into_model, int, (void **, void **)) \
	ENTRY(inference_model_destroy, int, (void **)) \
	ENTRY(inference_fact_parse, int, (void *, const char *, void **)) \
	ENTRY(inference_fact_destroy, int, (void **)) \
	ENTRY(model_transform, int, (void *, const char *)) \
	ENTRY(model_destroy, int, (void **)) \
	ENTRY(runtime_for_name, int, (const char *, void **)) \
	ENTRY(runtime_prepare, int, (void *, void **, void **)) \
	ENTRY(runtime_release, int, (void **)) \
	ENTRY(runnable_run, int, (void *, void **, void **)) \
	ENTRY(runnable_release, int, (void **)) \
	ENTRY(tensor_from_bytes, int, (uint32_t, size_t, const size_t *, void *, void **)) \
	ENTRY(tensor_as_bytes, int, (void *, uint32_t *, size_t *, const size_t **, const void **)) \
	ENTRY(tensor_convert_to, int, (void *, uint32_t, void **)) \
	ENTRY(tensor_destroy, int, (void **))

// mptract is an opened library.
typedef struct {
#define MPTRACT_MEMBER(name, result, parameters) result(*name) parameters;
	MPTRACT_ENTRIES(MPTRACT_MEMBER)
#undef MPTRACT_MEMBER
} mptract;

// mptract_find fills in the entries of an opened library, and gives the name of the first one that
// is missing, or NULL.
const char *mptract_find(void *library, mptract *t);
const char *mptract_version(const mptract *t);

// The functions below give NULL for success, and otherwise what tract says, which is the caller's
// to free.
char *mptract_parse_file(const mptract *t, const char *path, void **model);
char *mptract_parse_bytes(const mptract *t, const void *data, size_t size, void **model);

// mptract_counts tells how many inputs and outputs a parsed model has.
char *mptract_counts(const mptract *t, void *model, size_t *inputs, size_t *outputs);

// mptract_set_input gives an input its type and shape: "1,3,224,224,f32".
char *mptract_set_input(const mptract *t, void *model, size_t index, const char *fact);

// mptract_type works out the types and shapes of all tensors. It takes the parsed model, and gives
// the typed one.
char *mptract_type(const mptract *t, void **parsed, void **typed);
char *mptract_transform(const mptract *t, void *typed, const char *transform);

// mptract_prepare makes a typed model ready to run on the CPU. It takes the model.
char *mptract_prepare(const mptract *t, void **typed, void **runnable);
char *mptract_run(const mptract *t, void *runnable, void **inputs, void **outputs);

// mptract_tensor copies data; mptract_read shows what a tensor holds, for as long as it lives.
char *mptract_tensor(const mptract *t, uint32_t type, size_t rank, const size_t *shape, void *data,
	void **tensor);
char *mptract_read(const mptract *t, void *tensor, uint32_t *type, size_t *rank,
	const size_t **shape, const void **data);
char *mptract_convert(const mptract *t, void *tensor, uint32_t type, void **converted);

// mptract_free_* free what they are given, and nothing where it is NULL.
void mptract_free_parsed(const mptract *t, void *model);
void mptract_free_typed(const mptract *t, void *model);
void mptract_free_runnable(const mptract *t, void *runnable);
void mptract_free_tensor(const mptract *t, void *tensor);

#endif
