// Objects, the logger and the entry points of the mock of TensorRT. It runs tiny models on the CPU
// by the ABI of methods.h: what it proves is our plumbing, nothing about TensorRT.
//
//   MOCK_TRT_FAIL     steps that fail, separated by commas: builder, build, engine, context,
//                     enqueue, parser, debug, refit, name (of an output), tactic (one that the
//                     selector did not select), report (no tactics), safety (a network for the
//                     safety scope), attention, default (flags of a stripped engine's
//                     serialization)
//   MOCK_TRT_SLOW_MS  how long each of a build's steps takes
//   MOCK_TRT_DLA      how many deep learning accelerators there are
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

int mock_cuda_initialized(void);

#define TABLE(class) void *class##_table[SLOTS];
TABLE(VHostMemory) TABLE(VRuntime) TABLE(VRefitter) TABLE(VOptimizationProfile)
TABLE(VCudaEngine) TABLE(VSerializationConfig) TABLE(VExecutionContext) TABLE(VEngineInspector)
TABLE(VTensor) TABLE(VLayer)
TABLE(VNetworkDefinition) TABLE(VTimingCache) TABLE(VBuilderConfig) TABLE(VBuilder)
TABLE(IParser) TABLE(IParserError) TABLE(IParserRefitter) TABLE(IPluginRegistry)
TABLE(VAttention) TABLE(VAttentionBoundaryLayer)
TABLE(VAlgorithm) TABLE(VAlgorithmContext) TABLE(VAlgorithmIOInfo) TABLE(VAlgorithmVariant)

static void trap(void) {
	fprintf(stderr, "the mock of TensorRT was called through a slot that it does not fill\n");
	abort();
}

static void delete_public(void *o) { mock_delete(o); }
static void *const public_table[] = {(void *)trap, (void *)delete_public};

__attribute__((constructor)) static void fill(void) {
	void **const tables[] = {VHostMemory_table, VRuntime_table, VRefitter_table,
		VOptimizationProfile_table, VCudaEngine_table, VSerializationConfig_table,
		VExecutionContext_table, VEngineInspector_table, VTensor_table, VLayer_table,
		VNetworkDefinition_table,
		VTimingCache_table, VBuilderConfig_table, VBuilder_table, IParser_table,
		IParserError_table, IParserRefitter_table, IPluginRegistry_table, VAlgorithm_table,
		VAlgorithmContext_table, VAlgorithmIOInfo_table, VAlgorithmVariant_table, VAttention_table,
		VAttentionBoundaryLayer_table};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (int slot = 0; slot < SLOTS; slot++) tables[i][slot] = (void *)trap;
	mock_fill_network();
	mock_fill_builder();
	mock_fill_engine();
	mock_fill_tactics();
}

mock *mock_new(void *const *methods) {
	mock *m = calloc(1, sizeof *m);
	m->table = public_table;
	m->implementation = &m->methods;
	m->methods = methods;
	cuMemAlloc_v2(&m->gpu, 4096);
	return m;
}

void mock_delete(mock *m) {
	for (int i = 0; i < m->nchildren; i++) mock_delete(m->children[i]);
	free(m->data);
	if (m->gpu) cuMemFree_v2(m->gpu);
	free(m);
}

bool mock_fails(const char *step) {
	const char *list = getenv("MOCK_TRT_FAIL");
	return list && strstr(list, step);
}

// As in TensorRT, the first logger serves the whole process.
static void *_Atomic logger;
void mock_log(int severity, const char *format, ...) {
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	void *o = logger;
	int slot = MOCK_MAJOR == 10 ? 0 : 4;
	if (o) ((void (*)(void *, int32_t, const char *))trt_function(o, slot))(o, severity, text);
}

// Real libraries abort without a driver; whoever calls them first meets it here as well.
static void need_driver(void *given) {
	if (!mock_cuda_initialized()) {
		fprintf(stderr, "the mock of TensorRT was called before the CUDA driver\n");
		abort();
	}
	void *nobody = NULL;
	atomic_compare_exchange_strong(&logger, &nobody, given);
}

EXPORT int32_t getInferLibVersion(void) { return MOCK_MAJOR * 10000 + MOCK_MINOR * 100 + 2; }
EXPORT int32_t getInferLibMajorVersion(void) { return MOCK_MAJOR; }
EXPORT int32_t getInferLibMinorVersion(void) { return MOCK_MINOR; }
EXPORT int32_t getInferLibPatchVersion(void) { return 2; }
EXPORT int32_t getInferLibBuildVersion(void) { return 7; }
EXPORT int32_t getNvOnnxParserVersion(void) { return 100; }
EXPORT bool initLibNvInferPlugins(void *l, const char *space) {
	(void)space;
	need_driver(l);
	return true;
}

EXPORT void *createInferRuntime_INTERNAL(void *l, int32_t version) {
	need_driver(l);
	return version == getInferLibVersion() ? mock_new(VRuntime_table) : NULL;
}

#ifndef MOCK_LEAN
EXPORT void *createInferBuilder_INTERNAL(void *l, int32_t version) {
	need_driver(l);
	if (mock_fails("builder")) {
		mock_log(1, "mock: no builder");
		return (void *)0x238; // real ones give such numbers
	}
	return version == getInferLibVersion() ? mock_new(VBuilder_table) : NULL;
}

EXPORT void *createInferRefitter_INTERNAL(void *engine, void *l, int32_t version) {
	(void)l, (void)version;
	if (!(((mock *)engine)->plan.flags & (REFIT | STRIP_PLAN))) {
		mock_log(1, "mock: the engine is not refittable");
		return NULL;
	}
	mock *m = mock_new(VRefitter_table);
	m->of = engine;
	return m;
}

EXPORT void *createNvOnnxParser_INTERNAL(void *network, void *l, int32_t version) {
	(void)l;
	if (version != 100) return NULL;
	mock *m = mock_new(IParser_table);
	m->of = network;
	return &m->methods;
}

EXPORT void *createNvOnnxParserRefitter_INTERNAL(void *refitter, void *l, int32_t version) {
	(void)l, (void)version;
	mock *m = mock_new(IParserRefitter_table);
	m->of = refitter;
	return &m->methods;
}
#endif

mock *mock_memory(const void *data, size_t size) {
	mock *m = mock_new(VHostMemory_table);
	m->data = malloc(size ? size : 1);
	if (size) memcpy(m->data, data, size);
	m->size = size;
	return m;
}

static void *load_plugins(void *self, const char *path) {
	FILE *f = fopen(path, "rb");
	if (!f) {
		mock_log(1, "mock: no plugins at %s", path);
		return NULL;
	}
	fclose(f);
	mock_log(3, "mock: plugins loaded");
	return self;
}
static struct {
	void *const *methods;
} registry = {IPluginRegistry_table};
void *mock_plugins(void *self) {
	(void)self;
	PUT(IPluginRegistry, loadLibrary, load_plugins);
	return &registry;
}
