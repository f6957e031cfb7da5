// ONNX Runtime GenAI's C API, as far as it is used here: the entries by name, and a wrapper for
// each that Go calls. Handles are opaque.
#ifndef MODELPARITY_GENAI_ABI_H
#define MODELPARITY_GENAI_ABI_H

#include <stddef.h>
#include <stdint.h>

// MPGENAI_ENTRIES lists name, result and parameters. A result is NULL, or what went wrong.
#define MPGENAI_ENTRIES(ENTRY) \
	ENTRY(ResultGetError, const char *, (const void *)) \
	ENTRY(DestroyResult, void, (void *)) \
	ENTRY(CreateConfig, void *, (const char *, void **)) \
	ENTRY(ConfigAddModelData, void *, (void *, const char *, const void *, size_t)) \
	ENTRY(ConfigOverlay, void *, (void *, const char *)) \
	ENTRY(DestroyConfig, void, (void *)) \
	ENTRY(CreateModelFromConfig, void *, (const void *, void **)) \
	ENTRY(DestroyModel, void, (void *)) \
	ENTRY(CreateGeneratorParams, void *, (const void *, void **)) \
	ENTRY(DestroyGeneratorParams, void, (void *)) \
	ENTRY(CreateGenerator, void *, (const void *, const void *, void **)) \
	ENTRY(DestroyGenerator, void, (void *)) \
	ENTRY(Generator_AppendTokens, void *, (void *, const int32_t *, size_t)) \
	ENTRY(Generator_RewindTo, void *, (void *, size_t)) \
	ENTRY(Generator_GetOutput, void *, (const void *, const char *, void **)) \
	ENTRY(Generator_SetRuntimeOption, void *, (void *, const char *, const char *)) \
	ENTRY(TensorGetType, void *, (void *, int *)) \
	ENTRY(TensorGetShapeRank, void *, (void *, size_t *)) \
	ENTRY(TensorGetShape, void *, (void *, int64_t *, size_t)) \
	ENTRY(TensorGetData, void *, (void *, void **)) \
	ENTRY(DestroyTensor, void, (void *))

// mpgenai is an opened library.
typedef struct {
#define MPGENAI_MEMBER(name, result, parameters) result(*name) parameters;
	MPGENAI_ENTRIES(MPGENAI_MEMBER)
#undef MPGENAI_MEMBER
} mpgenai;

// mpgenai_find fills in the entries of an opened library, and gives the name of the first one that
// is missing, or NULL. It turns the library's reports to Microsoft off.
const char *mpgenai_find(void *library, mpgenai *t);

// mpgenai_said gives what is wrong, which the caller frees, and frees the result.
char *mpgenai_said(const mpgenai *t, void *result);

// mpgenai_load makes a model of the folder of a genai_config.json, with a model's bytes in place of
// the file of that name, and a text of JSON over the configuration. Either may be NULL.
void *mpgenai_load(const mpgenai *t, const char *folder, const char *name, const void *data,
	size_t size, const char *overlay, void **model);
void mpgenai_free_model(const mpgenai *t, void *model);

void *mpgenai_generator(const mpgenai *t, const void *model, void **generator);
void mpgenai_free_generator(const mpgenai *t, void *generator);
void *mpgenai_append(const mpgenai *t, void *generator, const int32_t *tokens, size_t count);
void *mpgenai_rewind(const mpgenai *t, void *generator, size_t length);
void *mpgenai_option(const mpgenai *t, void *generator, const char *key, const char *value);

// mpgenai_output copies an output of the last step. The shape has room for *rank sizes.
void *mpgenai_output(const mpgenai *t, const void *generator, const char *name, void **tensor,
	int *type, int64_t *shape, size_t *rank, void **data);
void mpgenai_free_tensor(const mpgenai *t, void *tensor);

#endif
