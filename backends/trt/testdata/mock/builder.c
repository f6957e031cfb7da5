// The mock's builder: it writes down what it is told, in the log and in the plan.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

static void *new_config(void *self) {
	(void)self;
	mock *m = mock_new(VBuilderConfig_table);
	m->flags = 1u << 6; // TF32 is on at first
	m->level = 3;
	return m;
}
static void *new_network(void *self, uint32_t flags) {
	(void)self;
	mock_log(4, "mock: network flags %u", flags);
	return mock_new(VNetworkDefinition_table);
}
static void *new_profile(void *self) { // belongs to the builder
	mock *builder = OF(self), *m = mock_new(VOptimizationProfile_table);
	cuMemFree_v2(m->gpu);
	m->gpu = 0; // the builder outlives the build that it was for
	m->of = builder->of;
	return builder->of = m;
}
static int32_t dla_cores(void *self) {
	(void)self;
	const char *text = getenv("MOCK_TRT_DLA");
	return text ? atoi(text) : 0;
}

// A profile's ranges lie in the first profile of its plan.
static int range_of(mock_plan *p, int profile, const char *name) {
	int i = 0;
	while (i < MAX - 1 && p->ranges[profile][i].name[0] && strcmp(p->ranges[profile][i].name, name))
		i++;
	snprintf(p->ranges[profile][i].name, NAME, "%s", name);
	return i;
}
static bool set_dimensions(void *self, const char *input, int32_t select, const trt_dims *d) {
	mock_plan *p = &OF(self)->plan;
	int i = range_of(p, 0, input);
	p->ranges[0][i].nb[select] = d->nb;
	memcpy(p->ranges[0][i].d[select], d->d, sizeof d->d);
	return true;
}
static bool set_values(void *self, const char *input, int32_t select, const int64_t *v, int32_t n) {
	trt_dims d = {.nb = n};
	memcpy(d.d, v, sizeof *v * (size_t)n);
	mock_log(4, "mock: values of %s: %lld", input, (long long)v[0]);
	return set_dimensions(self, input, select, &d);
}
static bool set_values32(void *self, const char *input, int32_t select, const int32_t *v,
	int32_t n) {
	int64_t wide[RANK] = {0};
	for (int i = 0; i < n; i++) wide[i] = v[i];
	return set_values(self, input, select, wide, n);
}
static bool valid(void *self) { return OF(self)->plan.ranges[0][0].name[0] != 0; }
static int32_t add_profile(void *self, const void *profile) {
	mock_plan *p = &OF(self)->plan;
	memcpy(p->ranges[p->nprofiles], ((mock *)profile)->plan.ranges[0], sizeof p->ranges[0]);
	return p->nprofiles++;
}

static void set_flag(void *self, int32_t flag) {
	// The numbers of FP16, INT8, OBEY, PREFER, BF16, … are no flags of TensorRT 11.
	const uint32_t gone = 1u << 0 | 1u << 1 | 1u << 9 | 1u << 10 | 1u << 14 | 1u << 16 | 1u << 21 | 1u << 25;
	if (MOCK_MAJOR == 11 && gone >> flag & 1) {
		mock_log(1, "mock: there is no builder flag %d", flag);
		return;
	}
	// EXCLUDE_LEAN_RUNTIME is taken only after the flag before it, VERSION_COMPATIBLE.
	int lean = MOCK_MAJOR == 10 ? 14 : 13;
	if (flag == lean && !(OF(self)->flags & 1u << (lean - 1))) return;
	if (flag != 28) OF(self)->flags |= 1u << flag; // 28 stands for a flag that does not stick
	mock_log(4, "mock: builder flag %d on", flag);
}
static void clear_flag(void *self, int32_t flag) { OF(self)->flags &= ~(1u << flag); }
static uint32_t flags(void *self) { return OF(self)->flags; }
static void set_pool(void *self, int32_t pool, size_t n) {
	OF(self)->pools[pool] = n;
	mock_log(4, "mock: memory pool %d of %zu", pool, n);
}
static size_t pool(void *self, int32_t pool) { return OF(self)->pools[pool]; }
static void set_level(void *self, int32_t level) {
	OF(self)->level = level;
	mock_log(4, "mock: level %d", level);
}
#define SETTER(function, text)                                                              \
	static void function(void *self, int32_t n) { (void)self, mock_log(4, "mock: " text " %d", n); }
SETTER(set_capability, "capability")
static void set_verbosity(void *self, int32_t n) {
	OF(self)->plan.verbosity = n;
	mock_log(4, "mock: verbosity %d", n);
}
SETTER(set_hardware, "hardware")
SETTER(set_aux, "aux streams")
SETTER(set_platform, "platform")
SETTER(set_dla, "DLA core")
SETTER(set_default_device, "default device")
static bool set_tiling(void *self, int32_t n) {
	(void)self;
	mock_log(4, "mock: tiling %d", n);
	return true;
}
static bool set_tactics(void *self, uint32_t n) {
	(void)self;
	mock_log(4, "mock: tactic sources %u", n);
	return true;
}
static void set_preview(void *self, int32_t feature, bool on) {
	(void)self;
	mock_log(4, "mock: preview feature %d %d", feature, on);
}
static void set_quantization(void *self, uint32_t bits) {
	(void)self;
	mock_log(4, "mock: quantization %u", bits);
}
static void set_plugins(void *self, const char *const *paths, int32_t n) {
	(void)self, (void)paths, mock_log(4, "mock: %d plugins to serialize", n);
}
static void set_monitor(void *self, void *monitor) { OF(self)->monitor = monitor; }
static void set_calibrator(void *self, void *calibrator) { OF(self)->calibrator = calibrator; }
static void set_selector(void *self, void *selector) { OF(self)->selector = selector; }
static bool set_calibration_profile(void *self, const void *profile) {
	(void)self;
	const mock_plan *p = &((const mock *)profile)->plan;
	mock_log(4, "mock: calibration profile from %lld to %lld", (long long)p->ranges[0][0].d[0][0],
		(long long)p->ranges[0][0].d[2][0]);
	return true;
}
static bool can_dla(void *self, const void *layer) {
	(void)self;
	return strcmp(((const mock *)layer)->name, "no_dla") != 0;
}
static void set_device(void *self, const void *layer, int32_t device) {
	(void)self;
	mock_log(4, "mock: layer %s on device %d", ((const mock *)layer)->name, device);
}

#define STRING(x) #x
#define VERSION_TEXT(major, minor) "timing of " STRING(major) "." STRING(minor)
static const char timing_head[] = VERSION_TEXT(MOCK_MAJOR, MOCK_MINOR);
static void *new_timing(void *self, const void *data, size_t size) {
	(void)self;
	mock *m = mock_new(VTimingCache_table);
	m->size = size;
	size_t head = sizeof timing_head;
	m->index = size == 0 || (size >= head && !memcmp(data, timing_head, head));
	return m;
}
static bool set_timing(void *self, const void *cache, bool ignore) {
	(void)ignore;
	OF(self)->timing = (mock *)cache;
	mock_log(4, "mock: timing cache of %zu bytes", OF(self)->timing->size);
	return ((const mock *)cache)->index;
}
static void *timing_bytes(void *self) {
	(void)self;
	return mock_memory(timing_head, sizeof timing_head);
}

static bool combine_timing(void *self, const void *other, bool ignore) {
	(void)self, (void)ignore;
	if (((const mock *)other)->index) mock_log(4, "mock: timing caches combined");
	return ((const mock *)other)->index;
}

static const void *host_data(void *self) { return OF(self)->data; }
static void *host_bytes(void *self) { return (void *)host_data(self); }
static size_t host_size(void *self) { return OF(self)->size; }

// CALL calls a method of a callback: the slots are those of TensorRT's headers.
#define CALL(object, slot, type) ((type)trt_function(object, slot))

static bool step(mock *config, int n) {
	const char *slow = getenv("MOCK_TRT_SLOW_MS");
	if (slow) usleep((unsigned)atoi(slow) * 1000);
	mock_log(4, "mock: step %d", n);
	void *m = config->monitor;
	return !m || CALL(m, 5, bool (*)(void *, const char *, int32_t))(m, "Building", n);
}

static bool calibrate(mock *config, mock *network) {
	void *c = config->calibrator;
	size_t size = 0;
	if (CALL(c, 6, const void *(*)(void *, size_t *))(c, &size)) {
		mock_log(3, "mock: calibration cache of %zu bytes", size);
		return true;
	}
	int32_t algorithm = CALL(c, 8, int32_t (*)(void *))(c);
	mock_log(3, "mock: calibration algorithm %d, batch size %d", algorithm,
		CALL(c, 4, int32_t (*)(const void *))(c));
	if (algorithm == 0)
		mock_log(3, "mock: quantile %.2f cutoff %.2f", CALL(c, 9, double (*)(const void *))(c),
			CALL(c, 10, double (*)(const void *))(c));
	const char *names[MAX];
	void *bindings[MAX];
	for (int i = 0; i < network->graph.ninputs; i++) names[i] = network->graph.inputs[i].name;
	char cache[64];
	float sum = 0;
	int batches = 0;
	while (CALL(c, 5, bool (*)(void *, void **, const char **, int32_t))(c, bindings, names,
		network->graph.ninputs)) {
		batches++;
		sum += *(float *)bindings[0];
	}
	int n = snprintf(cache, sizeof cache, "scales of %d batches, first values %g", batches, sum);
	CALL(c, 7, void (*)(void *, const void *, size_t))(c, cache, (size_t)n);
	return batches > 0;
}

static uint32_t lowest(uint32_t bits) {
	for (uint32_t i = 0; i < 32; i++)
		if (bits >> i & 1) return i;
	return 0;
}

static void *build(void *self, void *n, void *c) {
	(void)self;
	mock *network = n, *config = c;
	void *m = config->monitor;
	if (m)
		CALL(m, 4, void (*)(void *, const char *, const char *, int32_t))(m, "Building", NULL, 4);
	for (int i = 0; i < 4; i++)
		if (!step(config, i)) {
			mock_log(1, "mock: the build was cancelled");
			return NULL;
		}
	if (m) CALL(m, 6, void (*)(void *, const char *))(m, "Building");
	if (mock_fails("build") || (network->plan.ndebug && mock_fails("debug"))) {
		mock_log(1, "mock: could not find any implementation");
		return NULL;
	}
	if (network->plan.ndebug && MOCK_MAJOR == 10 && MOCK_MINOR < 12)
		abort(); // as 10.6 does over some
	if (config->flags >> 8 & 1 && mock_fails("safety")) {
		mock_log(1, "mock: the network is outside the safety scope");
		return NULL;
	}
	if (config->calibrator && !calibrate(config, network)) return NULL;
	if (!mock_choose(config, network)) return NULL;
	mock_plan plan = network->plan;
	memcpy(plan.magic, "MOCK PLAN", 10);
	plan.magic[sizeof plan.magic - 1] = 0;
	plan.major = MOCK_MAJOR;
	plan.minor = MOCK_MINOR;
	plan.flags = config->flags;
	plan.nprofiles = config->plan.nprofiles;
	plan.verbosity = config->plan.verbosity;
	memcpy(plan.ranges, config->plan.ranges, sizeof plan.ranges);
	plan.model_size = network->size;
	for (int i = 0; i < network->nchildren; i++) {
		mock *t = network->children[i];
		for (int k = 0; k < network->graph.ninputs + plan.noutputs; k++) {
			const char *name = k < network->graph.ninputs
				? network->graph.inputs[k].name
				: plan.outputs[k - network->graph.ninputs];
			if (!strcmp(name, t->name) && t->flags) plan.formats[k] = lowest(t->flags);
		}
	}
	mock *memory = mock_memory(NULL, 0);
	memory->size = sizeof plan + network->size;
	memory->data = realloc(memory->data, memory->size);
	memcpy(memory->data, &plan, sizeof plan);
	memcpy(memory->data + sizeof plan, network->data, network->size);
	if (plan.flags & STRIP_PLAN) mock_strip(memory->data + sizeof plan, network->size);
	mock_log(3, "mock: built a plan");
	return memory;
}

void mock_fill_builder(void) {
	PUT(VBuilder, createBuilderConfig, new_config);
	PUT(VBuilder, createNetworkV2, new_network);
	PUT(VBuilder, createOptimizationProfile, new_profile);
	PUT(VBuilder, getNbDLACores, dla_cores);
	PUT(VBuilder, getPluginRegistry, mock_plugins);
	PUT(VBuilder, buildSerializedNetwork, build);
	PUT(VOptimizationProfile, setDimensions, set_dimensions);
	PUT(VOptimizationProfile, setShapeValues, set_values32);
	PUT(VOptimizationProfile, setShapeValuesV2, set_values);
	PUT(VOptimizationProfile, isValid, valid);
	PUT(VBuilderConfig, addOptimizationProfile, add_profile);
	PUT(VBuilderConfig, setFlag, set_flag);
	PUT(VBuilderConfig, clearFlag, clear_flag);
	PUT(VBuilderConfig, getFlags, flags);
	PUT(VBuilderConfig, setMemoryPoolLimit, set_pool);
	PUT(VBuilderConfig, getMemoryPoolLimit, pool);
	PUT(VBuilderConfig, setBuilderOptimizationLevel, set_level);
	PUT(VBuilderConfig, setEngineCapability, set_capability);
	PUT(VBuilderConfig, setProfilingVerbosity, set_verbosity);
	PUT(VBuilderConfig, setHardwareCompatibilityLevel, set_hardware);
	PUT(VBuilderConfig, setMaxAuxStreams, set_aux);
	PUT(VBuilderConfig, setRuntimePlatform, set_platform);
	PUT(VBuilderConfig, setTilingOptimizationLevel, set_tiling);
	PUT(VBuilderConfig, setTacticSources, set_tactics);
	PUT(VBuilderConfig, setPreviewFeature, set_preview);
	PUT(VBuilderConfig, setQuantizationFlags, set_quantization);
	PUT(VBuilderConfig, setPluginsToSerialize, set_plugins);
	PUT(VBuilderConfig, setProgressMonitor, set_monitor);
	PUT(VBuilderConfig, setInt8Calibrator, set_calibrator);
	PUT(VBuilderConfig, setAlgorithmSelector, set_selector);
	PUT(VBuilderConfig, setCalibrationProfile, set_calibration_profile);
	PUT(VBuilderConfig, canRunOnDLA, can_dla);
	PUT(VBuilderConfig, setDeviceType, set_device);
	PUT(VBuilderConfig, setDLACore, set_dla);
	PUT(VBuilderConfig, setDefaultDeviceType, set_default_device);
	PUT(VBuilderConfig, createTimingCache, new_timing);
	PUT(VBuilderConfig, setTimingCache, set_timing);
	PUT(VTimingCache, serialize, timing_bytes);
	PUT(VTimingCache, combine, combine_timing);
	PUT(VHostMemory, data, host_bytes);
	PUT(VHostMemory, size, host_size);
}
