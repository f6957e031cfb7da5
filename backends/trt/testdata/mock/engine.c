// The mock's runtime, engines and contexts: they compute the graph on the CPU.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

static const int bits_of[] = {32, 16, 8, 32, 8, 8, 8, 16, 64, 4, 4, 8};
static int64_t volume(const int64_t *d, int nb) {
	int64_t n = 1;
	for (int i = 0; i < nb; i++) n *= d[i];
	return n;
}
static size_t bytes(int type, int64_t n) { return (size_t)((n * bits_of[type] + 7) / 8); }

// ---- runtime ----

static void *deserialize(void *self, const void *data, size_t size) {
	(void)self;
	const mock_plan *plan = data;
	if (mock_fails("engine") || size < sizeof *plan || memcmp(plan->magic, "MOCK PLAN", 10)) {
		mock_log(1, "mock: this is not a plan");
		return NULL;
	}
	bool compatible = plan->flags & VERSION_COMPATIBLE;
	if (plan->major != MOCK_MAJOR || (plan->minor != MOCK_MINOR && !compatible)) {
		mock_log(1, "mock: the plan's version tag does not match");
		return NULL;
	}
	mock *e = mock_new(VCudaEngine_table);
	e->plan = *plan;
	e->size = plan->model_size;
	e->data = malloc(e->size);
	memcpy(e->data, plan + 1, e->size);
	onnx_read(e->data, e->size, &e->graph);
	e->budget = e->plan.flags >> (MOCK_MAJOR == 10 ? 21 : 20) & 1 ? 1000 : 0;
	return e;
}
static void *load_runtime(void *self, const char *path) {
	(void)self;
	FILE *f = fopen(path, "rb");
	if (!f) return NULL;
	fclose(f);
	return mock_new(VRuntime_table);
}
static void allow_code(void *self, bool on) { (void)self, mock_log(4, "mock: host code %d", on); }

// ---- engine ----

static int ios(mock *e) { return e->graph.ninputs + e->plan.noutputs; }
static const char *io_name(mock *e, int i) {
	return i < e->graph.ninputs ? e->graph.inputs[i].name : e->plan.outputs[i - e->graph.ninputs];
}
static int io_index(mock *e, const char *name) {
	for (int i = 0; i < ios(e); i++)
		if (!strcmp(io_name(e, i), name)) return i;
	return -1;
}
// origin is what a tensor is a copy of.
static const char *origin(mock *e, const char *name) {
	for (int i = e->graph.nnodes - 1; i >= 0; i--)
		if (!strcmp(e->graph.nodes[i].op, "Identity") && !strcmp(e->graph.nodes[i].outputs[0], name))
			name = e->graph.nodes[i].inputs[0];
	return name;
}
static bool is_shape_input(mock *e, const char *name) {
	for (int i = 0; i < e->graph.nnodes; i++)
		if (!strcmp(e->graph.nodes[i].op, "Expand") &&
			!strcmp(origin(e, e->graph.nodes[i].inputs[1]), name))
			return true;
	return false;
}
static int onnx_to_trt(int onnx) {
	static const int types[] = {[1] = 0, [2] = 5, [3] = 2, [6] = 3, [7] = 8, [9] = 4, [10] = 1,
		[16] = 7, [17] = 6, [22] = 9};
	return types[onnx];
}
static int type_of(mock *e, const char *name) {
	for (int i = 0; i < e->graph.ninputs; i++)
		if (!strcmp(e->graph.inputs[i].name, name)) return onnx_to_trt(e->graph.inputs[i].type);
	for (int i = 0; i < e->graph.nnodes; i++)
		if (!strcmp(e->graph.nodes[i].outputs[0], name))
			return !strcmp(e->graph.nodes[i].op, "NonZero") ? 8
				: !strcmp(e->graph.nodes[i].op, "Cast")     ? onnx_to_trt(e->graph.nodes[i].to)
															: type_of(e, e->graph.nodes[i].inputs[0]);
	for (int i = 0; i < e->graph.nweights; i++)
		if (!strcmp(e->graph.weights[i].name, name)) return onnx_to_trt(e->graph.weights[i].type);
	return 0;
}

// ---- serialization ----

enum { EXCLUDE_WEIGHTS = 1u << 0, EXCLUDE_LEAN_RUNTIME = 1u << 1 };

void mock_strip(uint8_t *model, size_t size) {
	mock_graph graph;
	onnx_read(model, size, &graph);
	for (int i = 0; i < graph.nweights; i++)
		memset(model + (graph.weights[i].raw - model), 0, graph.weights[i].raw_size);
}
// As in TensorRT 10.6, an engine of a stripped plan is by default stripped again, and has a lean
// runtime only where it is version compatible.
static uint32_t default_flags(mock *e) {
	uint32_t lean = e->plan.flags & VERSION_COMPATIBLE ? 0 : EXCLUDE_LEAN_RUNTIME;
	return lean | (e->plan.flags & STRIP_PLAN && !mock_fails("default") ? EXCLUDE_WEIGHTS : 0);
}
static void *new_serialization(void *self) {
	mock *m = mock_new(VSerializationConfig_table);
	m->flags = default_flags(OF(self));
	return m;
}
static bool get_serialization(void *self, int32_t flag) { return OF(self)->flags >> flag & 1; }

static void *new_context(void *self, int32_t strategy) {
	if (mock_fails("context")) {
		mock_log(1, "mock: no context");
		return NULL;
	}
	mock *c = mock_new(VExecutionContext_table);
	c->of = OF(self);
	c->strategy = strategy;
	return c;
}
static void *new_inspector(void *self) {
	if (mock_fails("inspector")) return NULL;
	mock *m = mock_new(VEngineInspector_table);
	m->of = OF(self);
	return m;
}
// reduced is the type that the engine's layers compute in, as the inspector calls it. Where
// MOCK_TRT_FAIL names "precision", none takes what is allowed.
static const char *reduced(mock *engine, const mock_node *n) {
	if (mock_fails("precision")) return "Float";
	int type = type_of(engine, n->outputs[0]);
	if (type == 1 || type == 7) return type == 1 ? "Half" : "BFloat16";
	if (MOCK_MAJOR == 11) return "Float";
	return engine->plan.flags >> 1 & 1 ? "Int8" : engine->plan.flags & 1 ? "Half" : "Float";
}
static const char *information(void *self, int32_t format) {
	(void)format;
	mock *m = OF(self);
	mock_graph *g = &m->of->graph;
	const size_t room = 1 << 16;
	m->data = realloc(m->data, room);
	char *text = (char *)m->data;
	const int detailed = 2;
	if (m->of->plan.verbosity != detailed) {
		snprintf(text, room, "{\"Layers\": [\"%s\"]}", g->nodes[0].name);
		return text;
	}
	size_t n = (size_t)snprintf(text, room, "{\"Layers\": [");
	for (int i = 0; i < g->nnodes; i++)
		n += (size_t)snprintf(text + n, room - n,
			"%s{\"Name\": \"%s\", \"LayerType\": \"%s\", \"Inputs\": [{\"Format/Datatype\": "
			"\"Float\"}], \"Outputs\": [{\"Format/Datatype\": \"%s\"}], \"TacticName\": \"\"}",
			i ? ", " : "", g->nodes[i].name, g->nodes[i].op, reduced(m->of, &g->nodes[i]));
	snprintf(text + n, room - n, "]}");
	return text;
}
static const char *engine_name(void *self) { return (void)self, "mock engine"; }
static int32_t engine_layers(void *self) { return OF(self)->graph.nnodes; }
static int32_t engine_profiles(void *self) {
	int n = OF(self)->plan.nprofiles;
	return n ? n : 1;
}
static int32_t zero(void *self) { return (void)self, 0; }
static bool refittable(void *self) { return OF(self)->plan.flags & REFIT; }
static int32_t io_count(void *self) { return ios(OF(self)); }
static const char *io_at(void *self, int32_t i) { return io_name(OF(self), i); }
static int32_t io_type(void *self, const char *name) { return type_of(OF(self), name); }
static int32_t io_mode(void *self, const char *name) {
	int i = io_index(OF(self), name);
	return i < 0 ? 0 : i < OF(self)->graph.ninputs ? 1 : 2;
}
static int32_t io_location(void *self, const char *name) { return is_shape_input(OF(self), name); }
static trt_dims io_shape(void *self, const char *name) {
	mock *e = OF(self);
	trt_dims d = {.nb = -1};
	for (int i = 0; i < e->graph.ninputs; i++)
		if (!strcmp(e->graph.inputs[i].name, name)) {
			d.nb = e->graph.inputs[i].rank;
			memcpy(d.d, e->graph.inputs[i].dims, sizeof d.d);
		}
	return d;
}
enum { CHW4 = 3 };
static int format_of(mock *e, const char *name) {
	int i = io_index(e, name);
	return i < 0 ? 0 : (int)e->plan.formats[i];
}
static int32_t io_format(void *self, const char *name, int32_t p) {
	return (void)p, format_of(OF(self), name);
}
static const char *io_format_text(void *self, const char *name, int32_t p) {
	return (void)p, format_of(OF(self), name) ? "Four wide channel" : "Row-major";
}
static int32_t io_vector(void *self, const char *name, int32_t p) {
	return (void)p, format_of(OF(self), name) == CHW4 ? 1 : -1;
}
static int32_t io_components(void *self, const char *name, int32_t p) {
	return (void)p, format_of(OF(self), name) == CHW4 ? 4 : -1;
}
static trt_dims profile_shape(void *self, const char *name, int32_t profile, int32_t select) {
	mock_plan *p = &OF(self)->plan;
	trt_dims d = {.nb = -1};
	for (int i = 0; i < MAX; i++)
		if (!strcmp(p->ranges[profile][i].name, name)) {
			d.nb = p->ranges[profile][i].nb[select];
			memcpy(d.d, p->ranges[profile][i].d[select], sizeof d.d);
		}
	return d;
}
static int64_t streamable(void *self) {
	return OF(self)->plan.flags >> (MOCK_MAJOR == 10 ? 21 : 20) & 1 ? 1000 : 0;
}
static bool set_budget(void *self, int64_t n) {
	OF(self)->budget = n;
	mock_log(3, "mock: weight streaming budget %lld", (long long)n);
	return n <= streamable(self);
}
static int64_t automatic(void *self) { return streamable(self) / 2; }
static int64_t device_memory(void *self) { return (void)self, 512; }
static bool is_debug(void *self, const char *name) {
	for (int i = 0; i < OF(self)->plan.ndebug; i++)
		if (!strcmp(OF(self)->plan.debug[i], name)) return true;
	return false;
}

// ---- refitting ----

static bool refit_parse(void *self, const void *model, size_t size, const char *path) {
	(void)path;
	mock *refitter = OF(self)->of;
	refitter->data = realloc(refitter->data, size);
	memcpy(refitter->data, model, size);
	refitter->size = size;
	const char *wrong = onnx_read(refitter->data, size, &refitter->graph);
	return !wrong && refitter->graph.nnodes == refitter->of->graph.nnodes;
}
static int32_t refit_errors(void *self) { return (void)self, 0; }
static void refit_delete(void *self) { mock_delete(OF(self)); }
static int32_t missing(void *self, int32_t room, const char **names) {
	mock *refitter = OF(self), *engine = refitter->of;
	int32_t n = 0;
	for (int i = 0; refitter->data && i < engine->graph.nweights; i++) {
		bool found = false;
		for (int k = 0; k < refitter->graph.nweights; k++)
			found = found
				|| !strcmp(refitter->graph.weights[k].name, engine->graph.weights[i].name);
		if (!found && n++ < room) names[n - 1] = engine->graph.weights[i].name;
	}
	return n;
}
static bool refit(void *self) {
	mock *refitter = OF(self), *engine = refitter->of;
	if (missing(self, 0, NULL) || mock_fails("refit")) return false;
	engine->data = realloc(engine->data, refitter->size);
	memcpy(engine->data, refitter->data, refitter->size);
	engine->size = refitter->size;
	onnx_read(engine->data, engine->size, &engine->graph);
	return true;
}

// ---- context ----

typedef struct {
	int type, nb;
	int64_t d[RANK];
	uint8_t *data;
	char name[NAME];
} value;

static bool set_profile(void *self, int32_t profile, void *stream) {
	OF(self)->profile = profile;
	return stream != NULL;
}
static bool set_shape(void *self, const char *name, const trt_dims *d) {
	mock *c = OF(self), *e = c->of;
	int i = io_index(e, name);
	if (i < 0 || i >= e->graph.ninputs) return false;
	mock_value *v = &e->graph.inputs[i];
	if (d->nb != v->rank) return false;
	trt_dims lo = profile_shape(&e->methods, name, c->profile, 0);
	trt_dims hi = profile_shape(&e->methods, name, c->profile, 2);
	for (int k = 0; k < d->nb; k++) {
		bool fits = v->dims[k] >= 0 ? d->d[k] == v->dims[k]
									: lo.nb < 0 || (d->d[k] >= lo.d[k] && d->d[k] <= hi.d[k]);
		if (!fits) {
			mock_log(1, "mock: %s: dimension %d is outside the profile", name, k);
			return false;
		}
	}
	c->io[i].nb = d->nb;
	memcpy(c->io[i].d, d->d, sizeof d->d);
	return true;
}
static bool set_address(void *self, const char *name, uintptr_t address) {
	int i = io_index(OF(self)->of, name);
	if (i < 0 || !address) return false;
	OF(self)->io[i].address = address;
	return true;
}
static bool set_allocator(void *self, const char *name, void *allocator) {
	int i = io_index(OF(self)->of, name);
	if (i >= 0) OF(self)->io[i].allocator = allocator;
	return i >= 0;
}

// shape finds what is known before the inference; a NonZero's second dimension is not.
static trt_dims shape(mock *c, const char *name) {
	mock *e = c->of;
	trt_dims d = {.nb = 0};
	for (int i = 0; i < e->graph.ninputs; i++) {
		mock_value *v = &e->graph.inputs[i];
		if (strcmp(v->name, name)) continue;
		bool dynamic = false;
		for (int k = 0; k < v->rank; k++) dynamic = dynamic || v->dims[k] < 0;
		d.nb = v->rank;
		memcpy(d.d, dynamic ? c->io[i].d : v->dims, sizeof d.d);
		return d;
	}
	for (int i = 0; i < e->graph.nweights; i++)
		if (!strcmp(e->graph.weights[i].name, name)) {
			d.nb = e->graph.weights[i].rank;
			memcpy(d.d, e->graph.weights[i].dims, sizeof d.d);
			return d;
		}
	for (int i = 0; i < e->graph.nnodes; i++) {
		mock_node *n = &e->graph.nodes[i];
		if (strcmp(n->outputs[0], name)) continue;
		if (!strcmp(n->op, "NonZero")) return (trt_dims){.nb = 2, .d = {shape(c, n->inputs[0]).nb, -1}};
		if (!strcmp(n->op, "Expand")) {
			int k = io_index(e, origin(e, n->inputs[1]));
			d.nb = (int32_t)e->graph.inputs[k].dims[0];
			memcpy(d.d, (void *)c->io[k].address, sizeof(int64_t) * (size_t)d.nb);
			return d;
		}
		return shape(c, n->inputs[0]);
	}
	return d;
}
static trt_dims context_shape(void *self, const char *name) { return shape(OF(self), name); }
static trt_dims strides(void *self, const char *name) {
	mock *c = OF(self);
	trt_dims d = shape(c, name), s = {.nb = d.nb};
	int64_t n = 1;
	for (int i = d.nb - 1; i >= 0; i--) {
		s.d[i] = n;
		n *= format_of(c->of, name) == CHW4 && i == 1 ? (d.d[i] + 3) / 4 : d.d[i];
	}
	return s;
}
static int32_t infer_shapes(void *self, int32_t max, const char **names) {
	mock *c = OF(self);
	(void)max;
	for (int i = 0; i < c->of->graph.ninputs; i++)
		if (!c->io[i].address) return *names = c->of->graph.inputs[i].name, 1;
	return 0;
}
static size_t working(void *self) { return (void)self, 256; }
static void set_memory(void *self, uintptr_t p, int64_t n) {
	(void)self;
	mock_log(4, "mock: %lld bytes of working memory%s", (long long)n, p ? "" : " at nothing");
}
static bool set_listener(void *self, void *listener) { return OF(self)->listener = listener, true; }
static bool set_debug(void *self, const char *name, bool on) {
	mock *c = OF(self);
	if (!is_debug(&c->of->methods, name)) return false;
	for (int i = 0; i < c->of->plan.ndebug; i++)
		if (!strcmp(c->of->plan.debug[i], name)) c->io[i].debug = on;
	return true;
}
static bool debug_all(void *self, bool on) {
	for (int i = 0; i < OF(self)->of->plan.ndebug; i++) OF(self)->io[i].debug = on;
	return true;
}

// copy moves elements between row-major order and an output's or input's format.
static void copy(mock *c, const char *name, uint8_t *packed, uint8_t *plain, const value *v,
	bool in) {
	int64_t n = volume(v->d, v->nb);
	if (format_of(c->of, name) != CHW4) {
		memcpy(in ? plain : packed, in ? packed : plain, bytes(v->type, n));
		return;
	}
	size_t size = (size_t)bits_of[v->type] / 8;
	int64_t rest = 1;
	for (int k = 2; k < v->nb; k++) rest *= v->d[k];
	int64_t groups = (v->d[1] + 3) / 4;
	for (int64_t i = 0; i < n; i++) {
		int64_t inner = i % rest, channel = i / rest % v->d[1], outer = i / rest / v->d[1];
		int64_t at = ((outer * groups + channel / 4) * rest + inner) * 4 + channel % 4;
		uint8_t *p = packed + (size_t)at * size, *q = plain + (size_t)i * size;
		memcpy(in ? q : p, in ? p : q, size);
	}
}

static value *find(value *values, int n, const char *name) {
	for (int i = 0; i < n; i++)
		if (!strcmp(values[i].name, name)) return &values[i];
	return NULL;
}

// A value holds floats of 16 bits as float32, so that one arithmetic serves all.
static bool is_16(int type) { return type == 1 || type == 7; }
static bool is_float(int type) { return type == 0 || is_16(type); }
static size_t held(int type, int64_t n) { return is_16(type) ? 4 * (size_t)n : bytes(type, n); }

// narrow rounds to the nearest float of a type's 16 bits, ties to even; widen is its inverse.
static float widen(uint16_t b, int type) {
	uint32_t wide = (uint32_t)b << 16;
	float x;
	if (type == 7) return memcpy(&x, &wide, 4), x;
	int exponent = b >> 10 & 31, fraction = b & 1023;
	x = exponent == 31 ? (fraction ? NAN : INFINITY)
		: exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
					   : ldexpf((float)fraction, -24);
	return b >> 15 ? -x : x;
}
static uint16_t narrow(float x, int type) {
	uint32_t b;
	memcpy(&b, &x, 4);
	if (type == 7) return x == x ? (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16) : 0x7fc0;
	uint16_t sign = b >> 31 ? 0x8000 : 0;
	float a = fabsf(x);
	if (x != x) return 0x7e00;
	if (a >= 65520) return sign | 0x7c00;
	int exponent = a < 0x1p-14f ? -14 : ilogbf(a);
	int scaled = (int)lrintf(ldexpf(a, 10 - exponent)); // in units of the last bit
	return sign | (uint16_t)(((exponent + 14) << 10) + scaled);
}
static float rounded(float x, int type) { return is_16(type) ? widen(narrow(x, type), type) : x; }
static void widen_all(uint8_t *to, const uint8_t *from, int64_t n, int type) {
	for (int64_t i = 0; i < n; i++) {
		uint16_t b;
		memcpy(&b, from + 2 * i, 2);
		float x = widen(b, type);
		memcpy(to + 4 * i, &x, 4);
	}
}
// native makes the bytes of a value; the caller frees them.
static uint8_t *native(const value *v) {
	int64_t n = volume(v->d, v->nb);
	uint8_t *to = malloc(bytes(v->type, n) + 1);
	for (int64_t i = 0; is_16(v->type) && i < n; i++) {
		uint16_t b = narrow(((float *)v->data)[i], v->type);
		memcpy(to + 2 * i, &b, 2);
	}
	if (!is_16(v->type)) memcpy(to, v->data, bytes(v->type, n));
	return to;
}

// half rounds to float16's ten bits of mantissa, which is all that the mock's FP16 does.
static float half(float x) {
	uint32_t b;
	memcpy(&b, &x, 4);
	b = (b + 0x1000) & 0xffffe000u;
	memcpy(&x, &b, 4);
	return x;
}

// product is x·w for a square w, so that y has the shape of x.
static void product(float *y, const float *x, const float *w, int64_t rows, int64_t width) {
	for (int64_t i = 0; i < rows * width; i++) {
		y[i] = 0;
		for (int64_t k = 0; k < width; k++)
			y[i] += x[i / width * width + k] * w[k * width + i % width];
	}
}

// softmax works on each row in place.
static void softmax(float *y, int64_t rows, int64_t width) {
	for (float *end = y + rows * width; y < end; y += width) {
		float most = y[0], sum = 0;
		for (int64_t i = 1; i < width; i++) most = fmaxf(most, y[i]);
		for (int64_t i = 0; i < width; i++) sum += y[i] = expf(y[i] - most);
		for (int64_t i = 0; i < width; i++) y[i] /= sum;
	}
}

static void compute(mock *e, const mock_node *n, value *values, int *count) {
	value *x = find(values, *count, n->inputs[0]), *y = &values[*count];
	*y = *x;
	snprintf(y->name, NAME, "%s", n->outputs[0]);
	int64_t size = volume(x->d, x->nb);
	if (!strcmp(n->op, "NonZero")) {
		int64_t found = 0;
		for (int64_t i = 0; i < size; i++) found += ((float *)x->data)[i] != 0;
		y->type = 8;
		y->nb = 2;
		y->d[0] = x->nb;
		y->d[1] = found;
		int64_t *to = calloc((size_t)(found * x->nb) + 1, 8), k = 0;
		for (int64_t i = 0; i < size; i++) {
			if (((float *)x->data)[i] == 0) continue;
			int64_t left = i;
			for (int d = x->nb - 1; d >= 0; d--) to[d * found + k] = left % x->d[d], left /= x->d[d];
			k++;
		}
		y->data = (uint8_t *)to;
	} else if (!strcmp(n->op, "Expand")) {
		value *s = find(values, *count, n->inputs[1]);
		y->nb = (int)s->d[0];
		memcpy(y->d, s->data, 8 * (size_t)y->nb);
		int64_t total = volume(y->d, y->nb);
		y->data = malloc(4 * (size_t)total + 1);
		for (int64_t i = 0; i < total; i++) memcpy(y->data + 4 * i, x->data, 4);
	} else {
		y->data = malloc(held(x->type, size) + 1);
		memcpy(y->data, x->data, held(x->type, size));
		if (!strcmp(n->op, "Cast")) y->type = onnx_to_trt(n->to);
		value *z = n->ninputs > 1 ? find(values, *count, n->inputs[1]) : NULL;
		int64_t width = x->nb ? x->d[x->nb - 1] : 1;
		if (!strcmp(n->op, "MatMul"))
			product((float *)y->data, (float *)x->data, (float *)z->data, size / width, width), z = NULL;
		if (!strcmp(n->op, "Softmax")) softmax((float *)y->data, size / width, width);
		float sign = !strcmp(n->op, "Sub") ? -1 : 1;
		for (int64_t i = 0; is_float(x->type) && i < size; i++) {
			float *to = (float *)y->data + i;
			if (!strcmp(n->op, "Relu")) *to = fmaxf(*to, 0);
			if (z) *to += sign * ((float *)z->data)[i % volume(z->d, z->nb)];
			bool lowered = e->plan.flags & 1 && !e->plan.exact[n - e->graph.nodes];
			if (lowered && MOCK_MAJOR == 10) *to = half(*to);
			*to = rounded(*to, y->type);
		}
	}
	++*count;
}

static bool deliver(mock *c, const value *v, int i) {
	uint8_t *to = (uint8_t *)c->io[i].address;
	void *a = c->io[i].allocator;
	if (a) {
		uint64_t size = bytes(v->type, volume(v->d, v->nb));
		to = ((void *(*)(void *, const char *, void *, uint64_t, uint64_t, void *))trt_function(a, 5))(
			a, v->name, NULL, size, 256, NULL);
		if (!to) {
			mock_log(1, "mock: no memory for %s", v->name);
			return false;
		}
		trt_dims d = {.nb = v->nb};
		memcpy(d.d, v->d, sizeof d.d);
		((void (*)(void *, const char *, const trt_dims *))trt_function(a, 6))(a, v->name, &d);
	}
	uint8_t *plain = native(v);
	copy(c, v->name, to, plain, v, false);
	free(plain);
	return true;
}

// odd_profile plants a fault: told to fail by "opt", kernels for another likely shape than that of
// the inputs are wrong; by "second", the second profile is.
static bool odd_profile(mock *c) {
	for (int i = 0; i < c->of->graph.ninputs; i++) {
		trt_dims d = profile_shape(&c->of->methods, c->of->graph.inputs[i].name, c->profile, 1);
		for (int k = 0; k < d.nb; k++)
			if (d.d[k] > c->io[i].d[k] && mock_fails("opt")) return true;
	}
	return c->profile == 1 && mock_fails("second");
}

static bool enqueue(void *self, void *stream) {
	mock *c = OF(self), *e = c->of;
	bool other = c->stream && c->stream != stream;
	if (other) mock_log(4, "mock: an inference in another stream");
	c->stream = stream;
	bool wrong = e->plan.wavers || (other && mock_fails("stream")) || odd_profile(c);
	if (mock_fails("enqueue") || !stream) {
		mock_log(1, "mock: enqueue failed");
		return false;
	}
	value values[MAX * 4] = {0};
	int n = 0;
	for (int i = 0; i < e->graph.ninputs; i++, n++) {
		value *v = &values[n];
		trt_dims d = shape(c, e->graph.inputs[i].name);
		v->type = type_of(e, e->graph.inputs[i].name);
		v->nb = d.nb;
		memcpy(v->d, d.d, sizeof d.d);
		snprintf(v->name, NAME, "%s", e->graph.inputs[i].name);
		int64_t size = volume(v->d, v->nb);
		uint8_t *plain = malloc(bytes(v->type, size) + 1);
		v->data = malloc(held(v->type, size) + 1);
		copy(c, v->name, (uint8_t *)c->io[i].address, plain, v, true);
		if (is_16(v->type))
			widen_all(v->data, plain, size, v->type);
		else
			memcpy(v->data, plain, bytes(v->type, size));
		free(plain);
	}
	for (int i = 0; i < e->graph.nweights; i++, n++) {
		value *v = &values[n];
		v->nb = e->graph.weights[i].rank;
		memcpy(v->d, e->graph.weights[i].dims, sizeof v->d);
		snprintf(v->name, NAME, "%s", e->graph.weights[i].name);
		v->type = onnx_to_trt(e->graph.weights[i].type);
		v->data = malloc(2 * e->graph.weights[i].raw_size + 1);
		if (is_16(v->type))
			widen_all(v->data, e->graph.weights[i].raw, volume(v->d, v->nb), v->type);
		else
			memcpy(v->data, e->graph.weights[i].raw, e->graph.weights[i].raw_size);
	}
	bool ok = true;
	for (int i = 0; i < e->graph.nnodes; i++) {
		compute(e, &e->graph.nodes[i], values, &n);
		value *v = &values[n - 1];
		for (int k = 0; k < e->plan.ndebug && c->listener; k++) {
			if (strcmp(e->plan.debug[k], v->name) || !c->io[k].debug) continue;
			trt_dims d = {.nb = v->nb};
			memcpy(d.d, v->d, sizeof d.d);
			uint8_t *plain = native(v);
			ok = ((bool (*)(void *, const void *, int32_t, int32_t, const trt_dims *, const char *,
				void *))trt_function(c->listener, 4))(c->listener, plain, 0, v->type, &d, v->name,
				stream) && ok;
			free(plain);
		}
	}
	for (int i = e->graph.ninputs; i < ios(e); i++) {
		value *v = find(values, n, io_name(e, i));
		if (wrong && v && is_float(v->type) && volume(v->d, v->nb)) *(float *)v->data += 0.5f;
		ok = v && deliver(c, v, i) && ok;
	}
	for (int i = 0; i < n; i++) free(values[i].data);
	return ok;
}

void mock_fill_engine(void) {
	PUT(VRuntime, deserializeCudaEngine, deserialize);
	PUT(VRuntime, loadRuntime, load_runtime);
	PUT(VRuntime, setEngineHostCodeAllowed, allow_code);
	PUT(VRuntime, getPluginRegistry, mock_plugins);
	PUT(VCudaEngine, createSerializationConfig, new_serialization);
	PUT(VSerializationConfig, getFlag, get_serialization);
	PUT(VCudaEngine, createExecutionContext, new_context);
	PUT(VCudaEngine, createEngineInspector, new_inspector);
	PUT(VCudaEngine, getName, engine_name);
	PUT(VCudaEngine, getNbLayers, engine_layers);
	PUT(VCudaEngine, getNbOptimizationProfiles, engine_profiles);
	PUT(VCudaEngine, getNbAuxStreams, zero);
	PUT(VCudaEngine, isRefittable, refittable);
	PUT(VCudaEngine, getNbIOTensors, io_count);
	PUT(VCudaEngine, getIOTensorName, io_at);
	PUT(VCudaEngine, getTensorDataType, io_type);
	PUT(VCudaEngine, getTensorIOMode, io_mode);
	PUT(VCudaEngine, getTensorLocation, io_location);
	PUT(VCudaEngine, getTensorShape, io_shape);
	PUT(VCudaEngine, getTensorFormatV2, io_format);
	PUT(VCudaEngine, getTensorFormatDescV2, io_format_text);
	PUT(VCudaEngine, getTensorVectorizedDimV2, io_vector);
	PUT(VCudaEngine, getTensorComponentsPerElementV2, io_components);
	PUT(VCudaEngine, getProfileShape, profile_shape);
	PUT(VCudaEngine, getStreamableWeightsSize, streamable);
	PUT(VCudaEngine, setWeightStreamingBudgetV2, set_budget);
	PUT(VCudaEngine, getWeightStreamingAutomaticBudget, automatic);
	PUT(VCudaEngine, getDeviceMemorySizeV2, device_memory);
	PUT(VEngineInspector, getEngineInformation, information);
	PUT(VRefitter, refitCudaEngine, refit);
	PUT(VRefitter, getMissingWeights, missing);
	PUT(IParserRefitter, refitFromBytes, refit_parse);
	PUT(IParserRefitter, getNbErrors, refit_errors);
	PUT(IParserRefitter, getError, mock_parser_error);
	PUT(IParserRefitter, deleteSelf, refit_delete);
	PUT(VExecutionContext, setOptimizationProfileAsync, set_profile);
	PUT(VExecutionContext, setInputShape, set_shape);
	PUT(VExecutionContext, getTensorShape, context_shape);
	PUT(VExecutionContext, getTensorStrides, strides);
	PUT(VExecutionContext, setTensorAddress, set_address);
	PUT(VExecutionContext, inferShapes, infer_shapes);
	PUT(VExecutionContext, setOutputAllocator, set_allocator);
	PUT(VExecutionContext, enqueueV3, enqueue);
	PUT(VExecutionContext, setDebugListener, set_listener);
	PUT(VExecutionContext, setTensorDebugState, set_debug);
	PUT(VExecutionContext, setUnfusedTensorsDebugState, debug_all);
	PUT(VExecutionContext, updateDeviceMemorySizeForShapes, working);
	PUT(VExecutionContext, setDeviceMemoryV2, set_memory);
}
