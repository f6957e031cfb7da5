//go:build linux && cgo

#define _GNU_SOURCE
#include "call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const trt_row trt_rows[] = {
#define ALWAYS(class, method, slot10, slot11, result, params, args)                         \
	{#class, #method, 0, slot10, slot11},
#define VARIES(class, method, since, slot10, slot11, result, params, args)                  \
	{#class, #method, since, slot10, slot11},
#include "methods.h"
#undef ALWAYS
#undef VARIES
};

// find sets a function pointer, and reports the first symbol that is missing.
static void find(void *library, const char *path, const char *symbol, void *to, char **wrong) {
	*(void **)to = dlsym(library, symbol);
	if (!*(void **)to && !*wrong && asprintf(wrong, "%s has no %s", path, symbol) < 0)
		*wrong = strdup(symbol);
}

// Symbols are loaded globally, as in programs that link the libraries, because plugins rely on it.
static void *load(const char *path, char **wrong) {
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!library) *wrong = strdup(dlerror());
	return library;
}

char *trt_open(const char *path, trt_library *l) {
	char *wrong = NULL;
	void *library = load(path, &wrong);
	if (!library) return wrong;
	int32_t (*number)(void);
	const struct { const char *symbol; int32_t *to; } numbers[] = {
		{"getInferLibVersion", &l->version},           {"getInferLibMajorVersion", &l->major},
		{"getInferLibMinorVersion", &l->minor},        {"getInferLibPatchVersion", &l->patch},
		{"getInferLibBuildVersion", &l->build},
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		find(library, path, numbers[i].symbol, &number, &wrong);
		if (number) *numbers[i].to = number();
	}
	find(library, path, "createInferRuntime_INTERNAL", &l->create_runtime, &wrong);
	// The lean library, which only runs engines, has neither.
	find(library, path, "createInferBuilder_INTERNAL", &l->create_builder, &wrong);
	find(library, path, "createInferRefitter_INTERNAL", &l->create_refitter, &wrong);
	*(void **)&l->set_library_path = dlsym(library, "setInternalLibraryPath");
	return wrong;
}

char *trt_open_parser(const char *path, trt_library *l) {
	char *wrong = NULL;
	void *library = load(path, &wrong);
	if (!library) return wrong;
	int32_t (*version)(void);
	find(library, path, "getNvOnnxParserVersion", &version, &wrong);
	if (version) l->parser_version = version();
	find(library, path, "createNvOnnxParser_INTERNAL", &l->create_parser, &wrong);
	find(library, path, "createNvOnnxParserRefitter_INTERNAL", &l->create_parser_refitter, &wrong);
	return wrong;
}

char *trt_open_plugins(const char *path, trt_library *l) {
	char *wrong = NULL;
	void *library = load(path, &wrong);
	if (!library) return wrong;
	find(library, path, "initLibNvInferPlugins", &l->init_plugins, &wrong);
	return wrong;
}

void *trt_create_builder(const trt_library *l, void *logger) {
	return l->create_builder(logger, l->version);
}
void *trt_create_runtime(const trt_library *l, void *logger) {
	return l->create_runtime(logger, l->version);
}
void *trt_create_refitter(const trt_library *l, void *engine, void *logger) {
	return l->create_refitter(engine, logger, l->version);
}
void *trt_create_parser(const trt_library *l, void *network, void *logger) {
	return l->create_parser(network, logger, l->parser_version);
}
void *trt_create_parser_refitter(const trt_library *l, void *refitter, void *logger) {
	return l->create_parser_refitter(refitter, logger, l->parser_version);
}
bool trt_init_plugins(const trt_library *l, void *logger) { return l->init_plugins(logger, ""); }
bool trt_set_library_path(const trt_library *l, const char *path) {
	return l->set_library_path(path);
}
