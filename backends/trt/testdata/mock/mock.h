// What the mock of TensorRT is made of: objects of one kind, with the slots that methods.h says.
#pragma once
#include "call.h"
#include "onnx.h"

// The version that the mock plays. The build gives others.
#ifndef MOCK_MAJOR
#define MOCK_MAJOR 10
#endif
#ifndef MOCK_MINOR
#define MOCK_MINOR 6
#endif
#define EXPORT __attribute__((visibility("default")))
// Bits of a plan's flags, which are the builder's.
enum {
	REFIT = 1u << 4,
	VERSION_COMPATIBLE = 1u << (MOCK_MAJOR == 10 ? 13 : 12),
	STRIP_PLAN = 1u << (MOCK_MAJOR == 10 ? 19 : 18),
};

// What a plan says. It is written into plans as it stands.
typedef struct {
	char magic[16];
	int32_t major, minor;
	uint32_t flags;
	int32_t nprofiles, ndebug, noutputs, verbosity, wavers;
	struct {
		char name[NAME];
		int32_t nb[3];
		int64_t d[3][RANK];
	} ranges[4][MAX]; // by profile and input
	char debug[MAX][NAME], outputs[MAX][NAME];
	uint32_t formats[MAX]; // of the inputs and then the outputs
	bool exact[MAX];       // the layers that obey float32
	uint64_t model_size;   // the model follows
} mock_plan;

// mock is any object of TensorRT. Methods of public classes get the address of `methods`, as those
// of real ones get the address of the implementation.
typedef struct mock {
	void *const *table; // the public class's: two destructors
	void *implementation;
	void *boundary; // a second implementation, of an attention's layer
	void *const *methods;
	uint64_t gpu; // memory on the GPU, so that an object that is not deleted shows
	struct mock *of; // network, engine, refitter: what the object was made from
	uint8_t *data;   // host memory, timing cache, model
	size_t size;
	mock_graph graph;
	mock_plan plan;
	int index;   // layer, tensor: which
	bool called; // tensor: it has a name of its own
	char name[NAME];
	// configuration
	uint32_t flags, tactics, bits;
	size_t pools[6];
	int level, profile, strategy;
	int64_t budget;
	void *monitor, *calibrator, *listener, *selector;
	struct mock *timing;
	// parser: the nodes of its errors, and how it divides a model
	int64_t nodes[MAX], places[MAX];
	int nparts, starts[MAX + 1];
	bool takes[MAX];
	// context
	void *stream; // of its last inference
	struct {
		int64_t d[RANK];
		int nb;
		uintptr_t address;
		void *allocator;
		bool debug;
	} io[MAX * 2];
	struct mock *children[MAX * 4]; // layers and tensors, deleted with it
	int nchildren;
} mock;

int cuMemAlloc_v2(uint64_t *p, size_t size);
int cuMemFree_v2(uint64_t p);

#define OF(self) ((mock *)((char *)(self)-offsetof(mock, methods)))

// mock_new makes an object of a class; it counts as GPU memory until it is deleted.
mock *mock_new(void *const *methods);
void mock_delete(mock *m);
// mock_log writes a line to the logger; severity as TensorRT's.
void mock_log(int severity, const char *format, ...) __attribute__((format(printf, 2, 3)));
// mock_fails reports whether MOCK_TRT_FAIL names a step.
bool mock_fails(const char *step);

// The virtual tables, one for each class, filled before main.
enum { SLOTS = 100 };
#define TABLE(class) extern void *class##_table[SLOTS];
TABLE(VHostMemory) TABLE(VRuntime) TABLE(VRefitter) TABLE(VOptimizationProfile)
TABLE(VCudaEngine) TABLE(VSerializationConfig) TABLE(VExecutionContext) TABLE(VEngineInspector)
TABLE(VTensor) TABLE(VLayer)
TABLE(VNetworkDefinition) TABLE(VTimingCache) TABLE(VBuilderConfig) TABLE(VBuilder)
TABLE(IParser) TABLE(IParserError) TABLE(IParserRefitter) TABLE(IPluginRegistry)
TABLE(VAttention) TABLE(VAttentionBoundaryLayer)
TABLE(VAlgorithm) TABLE(VAlgorithmContext) TABLE(VAlgorithmIOInfo) TABLE(VAlgorithmVariant)
#undef TABLE

// The type of every method, so that the compiler holds the mock's against the table.
#define ALWAYS(class, method, slot10, slot11, result, params, args)                         \
	typedef result class##_##method##_type(void *self TRT_LIST params);                     \
	enum { class##_##method##_slot = MOCK_MAJOR == 10 ? slot10 : slot11 };
#define VARIES(class, method, since, slot10, slot11, result, params, args)                  \
	typedef result class##_##method##_type(void *self TRT_LIST params);                     \
	enum {                                                                                  \
		class##_##method##_slot = MOCK_MAJOR == 11 ? slot11 : MOCK_MINOR < since ? -1 : slot10 \
	};
#include "methods.h"
#undef ALWAYS
#undef VARIES
#define PUT(class, method, function)                                                        \
	do {                                                                                    \
		class##_##method##_type *typed = function;                                          \
		if (class##_##method##_slot >= 0)                                                   \
			class##_table[class##_##method##_slot] = (void *)typed;                         \
	} while (0)

void mock_fill_network(void);
void mock_fill_builder(void);
void mock_fill_engine(void);
void mock_fill_tactics(void);
// mock_choose asks the selector of a configuration, if there is one, about every layer.
bool mock_choose(mock *config, mock *network);
// mock_plugins is the registry of plugins.
void *mock_plugins(void *self);
// mock_parser_error makes an IParserError list of one.
const void *mock_parser_error(void *self, int32_t index);
// mock_strip makes zeros of a model's weights.
void mock_strip(uint8_t *model, size_t size);
// mock_output finds what a network gives for a name: "" where it is no tensor.
mock *mock_memory(const void *data, size_t size);
