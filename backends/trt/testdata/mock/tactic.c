// The mock's tactics: every layer has two, of which the builder likes the first better.
#include <stdio.h>

#include "mock.h"

enum { CHOICES = 2 };

static mock *part(mock *of, void *const *methods) {
	mock *m = mock_new(methods);
	m->of = of;
	return of->children[of->nchildren++] = m;
}

// context is what TensorRT says of a layer; its children are the layer's choices.
static mock *context(mock *layer, mock_node *node) {
	mock *m = mock_new(VAlgorithmContext_table);
	snprintf(m->name, NAME, "%s", layer->name);
	m->profile = node->ninputs;
	m->level = node->noutputs;
	for (int i = 0; i < CHOICES; i++) {
		mock *choice = part(m, VAlgorithm_table);
		choice->index = i;
		mock *variant = part(choice, VAlgorithmVariant_table);
		variant->index = i;
		for (int io = 0; io < node->ninputs + node->noutputs; io++)
			part(choice, VAlgorithmIOInfo_table)->index = i;
	}
	return m;
}

static const char *context_name(void *self) { return OF(self)->name; }
static int32_t context_inputs(void *self) { return OF(self)->profile; }
static int32_t context_outputs(void *self) { return OF(self)->level; }
static void *variant_of(void *self) { return OF(self)->children[0]; }
static void *info_of(void *self, int32_t index) { return OF(self)->children[1 + index]; }
static int64_t implementation(void *self) { return 0x80000000ll + OF(self)->index; }
static int64_t tactic(void *self) { return -5000000000000000001ll - OF(self)->index; }
// The second choice holds its tensors as pairs of float16.
static int32_t elem(void *self) { return OF(self)->index; }
static trt_dims strides(void *self) {
	return OF(self)->index ? (trt_dims){.nb = 1, .d = {1}} : (trt_dims){.nb = 2, .d = {3, 1}};
}
static int64_t vectorized_dim(void *self) { return OF(self)->index - 1; }
static int64_t components(void *self) { return OF(self)->index + 1; }

// CALL calls a method of the selector: the slots are those of TensorRT's headers.
#define CALL(object, slot, type) ((type)trt_function(object, slot))

bool mock_choose(mock *config, mock *network) {
	void *s = config->selector;
	mock *contexts[MAX], *chosen[MAX];
	int32_t n = 0;
	bool rejected = false;
	static int builds;
	bool wavers = mock_fails("waver") && builds++ % 2; // every second build chooses otherwise
	network->plan.wavers = wavers;
	for (int i = 0; s && i < network->nchildren && !rejected; i++) {
		mock *layer = network->children[i];
		if (layer->methods != (void *const *)VLayer_table) continue;
		mock *c = contexts[n] = context(layer, &network->graph.nodes[layer->index]);
		int32_t selection[CHOICES] = {-1, -1};
		int32_t selected = CALL(s, 4, int32_t (*)(void *, void *, mock **, int32_t, int32_t *))(
			s, c, c->children, CHOICES, selection);
		rejected = selected == 0 && config->flags >> 12 & 1;
		int32_t index = selected ? selection[0] : 0;
		if (mock_fails("tactic")) index = CHOICES - 1 - index; // another than was selected
		if (wavers && n == 0) index = CHOICES - 1 - index;
		mock_log(4, "mock: layer %s by tactic %d of %d", c->name, index, selected);
		chosen[n++] = c->children[index];
	}
	if (rejected) mock_log(1, "mock: no tactic is left");
	if (s && !rejected && !mock_fails("report"))
		CALL(s, 5, void (*)(void *, mock **, mock **, int32_t))(s, contexts, chosen, n);
	for (int i = 0; i < n; i++) mock_delete(contexts[i]);
	return !rejected;
}

void mock_fill_tactics(void) {
	PUT(VAlgorithmContext, getName, context_name);
	PUT(VAlgorithmContext, getNbInputs, context_inputs);
	PUT(VAlgorithmContext, getNbOutputs, context_outputs);
	PUT(VAlgorithm, getAlgorithmVariant, variant_of);
	PUT(VAlgorithm, getAlgorithmIOInfoByIndex, info_of);
	PUT(VAlgorithmVariant, getImplementation, implementation);
	PUT(VAlgorithmVariant, getTactic, tactic);
	PUT(VAlgorithmIOInfo, getDataType, elem);
	PUT(VAlgorithmIOInfo, getStrides, strides);
	PUT(VAlgorithmIOInfo, getVectorizedDim, vectorized_dim);
	PUT(VAlgorithmIOInfo, getComponentsPerElement, components);
}
