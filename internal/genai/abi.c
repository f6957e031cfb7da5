//go:build cgo && (linux || darwin)

#include "abi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

const char *mpgenai_find(void *library, mpgenai *t) {
#define MPGENAI_FIND(name, result, parameters) \
	if (!(*(void **)&t->name = dlsym(library, "Oga" #name))) \
		return "Oga" #name;
	MPGENAI_ENTRIES(MPGENAI_FIND)
#undef MPGENAI_FIND
	void (*telemetry)(bool) = (void (*)(bool))dlsym(library, "OgaSetTelemetryEnabled");
	if (telemetry) // since 0.14
		telemetry(false);
	return NULL;
}

char *mpgenai_said(const mpgenai *t, void *result) {
	if (!result)
		return NULL;
	const char *text = t->ResultGetError(result);
	char *said = strdup(text ? text : "no reason given");
	t->DestroyResult(result);
	return said;
}

void *mpgenai_load(const mpgenai *t, const char *folder, const char *name, const void *data,
	size_t size, const char *overlay, void **model) {
	void *config = NULL;
	void *wrong = t->CreateConfig(folder, &config);
	if (!wrong && overlay)
		wrong = t->ConfigOverlay(config, overlay);
	if (!wrong && data)
		wrong = t->ConfigAddModelData(config, name, data, size);
	if (!wrong)
		wrong = t->CreateModelFromConfig(config, model);
	if (config)
		t->DestroyConfig(config);
	return wrong;
}

void mpgenai_free_model(const mpgenai *t, void *model) { t->DestroyModel(model); }

void *mpgenai_generator(const mpgenai *t, const void *model, void **generator) {
	void *params = NULL;
	void *wrong = t->CreateGeneratorParams(model, &params);
	if (wrong)
		return wrong;
	wrong = t->CreateGenerator(model, params, generator);
	t->DestroyGeneratorParams(params);
	return wrong;
}

void mpgenai_free_generator(const mpgenai *t, void *generator) { t->DestroyGenerator(generator); }

void *mpgenai_append(const mpgenai *t, void *generator, const int32_t *tokens, size_t count) {
	return t->Generator_AppendTokens(generator, tokens, count);
}

void *mpgenai_rewind(const mpgenai *t, void *generator, size_t length) {
	return t->Generator_RewindTo(generator, length);
}

void *mpgenai_option(const mpgenai *t, void *generator, const char *key, const char *value) {
	return t->Generator_SetRuntimeOption(generator, key, value);
}

void *mpgenai_output(const mpgenai *t, const void *generator, const char *name, void **tensor,
	int *type, int64_t *shape, size_t *rank, void **data) {
	void *wrong = t->Generator_GetOutput(generator, name, tensor);
	if (wrong)
		return wrong;
	size_t room = *rank;
	if (!(wrong = t->TensorGetType(*tensor, type)) &&
		!(wrong = t->TensorGetShapeRank(*tensor, rank)) && *rank <= room &&
		!(wrong = t->TensorGetShape(*tensor, shape, *rank)))
		wrong = t->TensorGetData(*tensor, data);
	if (wrong) {
		t->DestroyTensor(*tensor);
		*tensor = NULL;
	}
	return wrong;
}

void mpgenai_free_tensor(const mpgenai *t, void *tensor) { t->DestroyTensor(tensor); }
