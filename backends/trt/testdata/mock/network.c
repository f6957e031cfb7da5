// The mock's networks, layers, tensors and ONNX parser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

// TensorRT's numbers of ONNX's element types; -1 where it has none.
static int data_type(int onnx) {
	static const int types[] = {[1] = 0, [2] = 5, [3] = 2, [6] = 3, [7] = 8, [9] = 4, [10] = 1,
		[16] = 7, [17] = 6, [22] = 9};
	if (onnx == 1) return 0;
	return onnx > 0 && onnx < 23 && types[onnx] ? types[onnx] : -1;
}

static mock *child(mock *network, void *const *methods, const char *name, int index) {
	mock *m = mock_new(methods);
	snprintf(m->name, NAME, "%s", name);
	m->index = index;
	m->of = network;
	return network->children[network->nchildren++] = m;
}

static mock *tensor_named(mock *network, const char *name) {
	for (int i = 0; i < network->nchildren; i++)
		if (network->children[i]->methods == (void *const *)VTensor_table &&
			!strcmp(network->children[i]->name, name))
			return network->children[i];
	return NULL;
}

static mock *tensor(mock *network, const char *name) {
	mock *t = tensor_named(network, name);
	return t ? t : child(network, VTensor_table, name, -1);
}

static const char *const known[] = {"Identity", "Relu", "Add", "NonZero", "Expand", "Attention",
	"QuantizeLinear", "DequantizeLinear", "Sub", "MatMul", "Softmax", "Cast"};

static bool knows(const char *op) {
	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (!strcmp(op, known[k])) return true;
	return false;
}

// refuse notes an error: about a node, or about the model where that is NULL.
static bool refuse(mock *parser, const char *text, const mock_graph *g, const mock_node *n) {
	int i = parser->index < MAX ? parser->index++ : MAX - 1;
	snprintf(parser->plan.debug[i], NAME, "%s", text);
	parser->graph.nodes[i] = n ? *n : (mock_node){0};
	parser->nodes[i] = n ? n - g->nodes : -1;
	mock_log(1, "mock parser: %s", text);
	return false;
}
static const char unknown[] = "no importer for the operator";

// type_named is the type of a tensor or of a weight.
static int type_named(mock *network, const char *name) {
	for (int i = 0; i < network->graph.nweights; i++)
		if (!strcmp(network->graph.weights[i].name, name))
			return data_type(network->graph.weights[i].type);
	mock *t = tensor_named(network, name);
	return t ? t->level : 0;
}
// From TensorRT 11 on, networks are strongly typed: operands have one type.
static bool mixed(mock *network, const mock_node *n) {
	bool both = !strcmp(n->op, "Add") || !strcmp(n->op, "Sub") || !strcmp(n->op, "MatMul");
	return MOCK_MAJOR == 11 && both && n->ninputs == 2 &&
		type_named(network, n->inputs[0]) != type_named(network, n->inputs[1]);
}

static bool parse(void *self, const void *model, size_t size, const char *path) {
	(void)path;
	mock *parser = OF(self), *network = parser->of;
	const char *wrong = onnx_read(model, size, &network->graph);
	if (mock_fails("parser")) wrong = "told to fail";
	if (wrong) return refuse(parser, wrong, NULL, NULL);
	network->data = malloc(size);
	memcpy(network->data, model, size);
	network->size = size;
	mock_graph *g = &network->graph;
	bool all = true;
	for (int i = 0; i < g->ninputs; i++) {
		int type = data_type(g->inputs[i].type);
		if (type < 0) return refuse(parser, "unsupported input type", NULL, NULL);
		tensor(network, g->inputs[i].name)->level = type;
	}
	for (int i = 0; i < g->nnodes; i++) {
		mock_node *n = &g->nodes[i];
		if (!knows(n->op)) {
			all = refuse(parser, unknown, g, n);
			continue;
		}
		if (mixed(network, n)) {
			all = refuse(parser, "operands of different types in a strongly typed network", g, n);
			continue;
		}
		mock *layer = child(network, VLayer_table, n->name[0] ? n->name : n->op, i);
		if (!strcmp(n->op, "Attention")) {
			mock *boundary = child(layer, VAttentionBoundaryLayer_table, "", 0);
			child(boundary, VAttention_table, layer->name, 0);
			layer->boundary = &boundary->methods;
		}
		tensor(network, n->outputs[0])->level = !strcmp(n->op, "NonZero") ? 8
			: !strcmp(n->op, "Cast")                                      ? data_type(n->to)
																		  : type_named(network, n->inputs[0]);
		if (!strcmp(n->op, "Expand")) tensor(network, n->inputs[1])->bits = 1; // a shape
	}
	for (int i = g->nnodes - 1; i >= 0; i--) { // what a shape is a copy of is one too
		mock_node *n = &g->nodes[i];
		if (!strcmp(n->op, "Identity") && tensor(network, n->outputs[0])->bits)
			tensor(network, n->inputs[0])->bits = 1;
	}
	for (int i = 0; i < g->noutputs; i++)
		snprintf(network->plan.outputs[network->plan.noutputs++], NAME, "%s", g->outputs[i].name);
	return all;
}
// supports divides a model into runs of nodes. Told to be coarse, it takes the node behind one that
// it does not know for another such, but for the first of a model.
static bool supports(void *self, const void *model, size_t size, const char *path) {
	(void)path;
	mock *parser = OF(self);
	mock_graph *g = calloc(1, sizeof *g);
	const char *wrong = onnx_read(model, size, g);
	parser->nparts = 0;
	bool all = !wrong;
	if (wrong) refuse(parser, wrong, NULL, NULL);
	for (int i = 0; !wrong && i < g->nnodes; i++) {
		bool takes = knows(g->nodes[i].op);
		if (!takes) all = refuse(parser, unknown, g, &g->nodes[i]);
		if (takes && mock_fails("coarse") && i > 1 && !knows(g->nodes[i - 1].op)) takes = false;
		if (i == 0 || takes != parser->takes[parser->nparts - 1]) {
			parser->starts[parser->nparts] = i;
			parser->takes[parser->nparts++] = takes;
		}
		parser->starts[parser->nparts] = i + 1;
		parser->places[i] = i;
	}
	free(g);
	return all;
}
static int64_t parts(void *self) { return OF(self)->nparts; }
static bool part_supported(void *self, int64_t i) { return OF(self)->takes[i]; }
static const int64_t *part_nodes(void *self, int64_t i, int64_t *n) {
	mock *parser = OF(self);
	*n = parser->starts[i + 1] - parser->starts[i];
	return parser->places + parser->starts[i];
}

static int32_t parser_errors(void *self) { return OF(self)->index; }
const void *mock_parser_error(void *self, int32_t index) {
	mock *parser = OF(self);
	// The error shares the parser's memory, under a table of its own.
	parser->implementation = (void *)IParserError_table;
	parser->level = index;
	return &parser->implementation;
}
#define ERROR_OF(self) ((mock *)((char *)(self)-offsetof(mock, implementation)))
static mock_node *error_at(void *self) {
	return &ERROR_OF(self)->graph.nodes[ERROR_OF(self)->level];
}
static const char *error_text(void *self) {
	return ERROR_OF(self)->plan.debug[ERROR_OF(self)->level];
}
static int32_t error_node(void *self) {
	return (int32_t)ERROR_OF(self)->nodes[ERROR_OF(self)->level];
}
static const char *error_name(void *self) { return error_at(self)->name; }
static const char *error_op(void *self) { return error_at(self)->op; }
static const char *const functions[] = {"outer", "inner"};
static const char *const *error_functions(void *self) { return (void)self, functions; }
static int32_t error_depth(void *self) { return !strcmp(error_at(self)->op, "Inner") ? 2 : 0; }
static void parser_delete(void *self) { mock_delete(OF(self)); }
static void parser_flag(void *self, int32_t flag) {
	(void)self, mock_log(4, "mock: parser flag %d", flag);
}
static void parser_clear(void *self, int32_t flag) {
	(void)self, mock_log(4, "mock: parser flag %d off", flag);
}
static const char *const *parser_plugins(void *self, int64_t *n) {
	(void)self;
	static const char *const one[] = {"libmock_plugin.so"};
	return *n = 1, one;
}

static int32_t count(mock *network, void *const *methods) {
	int n = 0;
	for (int i = 0; i < network->nchildren; i++) n += network->children[i]->methods == methods;
	return n;
}
static int32_t layers(void *self) { return count(OF(self), VLayer_table); }
static void *layer(void *self, int32_t index) {
	mock *network = OF(self);
	for (int i = 0; i < network->nchildren; i++)
		if (network->children[i]->methods == (void *const *)VLayer_table && index-- == 0)
			return network->children[i];
	return NULL;
}
static int32_t inputs(void *self) { return OF(self)->graph.ninputs; }
static void *input(void *self, int32_t i) {
	return tensor_named(OF(self), OF(self)->graph.inputs[i].name);
}
static int32_t outputs(void *self) { return OF(self)->plan.noutputs; }
static void *output(void *self, int32_t i) {
	return tensor_named(OF(self), OF(self)->plan.outputs[i]);
}
static void mark(void *self, void *t) {
	mock_plan *p = &OF(self)->plan;
	char *output = p->outputs[p->noutputs++];
	// As TensorRT does: the engine has another name for a tensor that was not given one.
	if (((mock *)t)->called)
		snprintf(output, NAME, "%s", ((mock *)t)->name);
	else
		snprintf(output, NAME, "(Unnamed Layer* %d)", p->noutputs);
}
static void unmark(void *self, void *t) {
	mock_plan *p = &OF(self)->plan;
	for (int i = 0; i < p->noutputs; i++)
		if (!strcmp(p->outputs[i], ((mock *)t)->name)) {
			memmove(p->outputs[i], p->outputs[i + 1], (size_t)(p->noutputs - i - 1) * NAME);
			p->noutputs--;
			return;
		}
}
static bool mark_debug(void *self, void *t) {
	mock_plan *p = &OF(self)->plan;
	snprintf(p->debug[p->ndebug++], NAME, "%s", ((mock *)t)->name);
	return true;
}
static bool mark_unfused(void *self) {
	mock *network = OF(self);
	for (int i = 0; i < network->graph.nnodes; i++)
		snprintf(network->plan.debug[network->plan.ndebug++], NAME, "%s",
			network->graph.nodes[i].outputs[0]);
	return true;
}

static const char *name_of(void *self) { return OF(self)->name; }
static mock_node *node_of(mock *layer) { return &layer->of->graph.nodes[layer->index]; }
static int32_t layer_type(void *self) {
	const char *op = node_of(OF(self))->op;
	return !strcmp(op, "Cast") ? 1 : !strcmp(op, "Relu") ? 2 : !strcmp(op, "Add") ? 9 : !strcmp(op, "NonZero") ? 41
		: !strcmp(op, "Expand")                            ? 22
		: !strcmp(op, "Attention")                         ? 51
														   : 20;
}
static int32_t layer_inputs(void *self) { return node_of(OF(self))->ninputs; }
static void *layer_input(void *self, int32_t i) {
	return tensor_named(OF(self)->of, node_of(OF(self))->inputs[i]);
}
static int32_t layer_outputs(void *self) { return node_of(OF(self))->noutputs; }
static void *layer_output(void *self, int32_t i) {
	return tensor_named(OF(self)->of, node_of(OF(self))->outputs[i]);
}
static void layer_precision(void *self, int32_t type) {
	OF(self)->of->plan.exact[OF(self)->index] = type == 0;
	mock_log(4, "mock: layer %s computes in type %d", OF(self)->name, type);
}
static void layer_output_type(void *self, int32_t i, int32_t type) {
	mock_log(4, "mock: layer %s output %d has type %d", OF(self)->name, i, type);
}

static void *attention(void *self) { return OF(self)->children[0]; }
static bool set_decomposable(void *self, bool on) {
	mock_log(4, "mock: attention %s decomposable %d", OF(self)->name, on);
	return !mock_fails("attention");
}

static trt_dims dims(void *self) {
	mock *t = OF(self);
	trt_dims d = {.nb = -1};
	for (int i = 0; i < t->of->graph.ninputs; i++) {
		mock_value *v = &t->of->graph.inputs[i];
		if (strcmp(v->name, t->name)) continue;
		d.nb = v->rank;
		memcpy(d.d, v->dims, sizeof v->dims);
	}
	return d;
}
static int32_t type(void *self) { return OF(self)->level; }
static bool is_output(void *self) {
	mock *t = OF(self);
	for (int i = 0; i < t->of->plan.noutputs; i++)
		if (!strcmp(t->of->plan.outputs[i], t->name)) return true;
	return false;
}
static bool is_shape(void *self) { return OF(self)->bits == 1; }
static bool is_execution(void *self) { return OF(self)->bits != 1; }
static void set_name(void *self, const char *name) {
	if (mock_fails("name")) return;
	snprintf(OF(self)->name, NAME, "%s", name);
	OF(self)->called = true;
}
static void allow_formats(void *self, uint32_t bits) {
	OF(self)->flags = bits;
	mock_log(4, "mock: tensor %s allows formats %u", OF(self)->name, bits);
}
static void set_type(void *self, int32_t type) {
	mock_log(4, "mock: tensor %s has type %d", OF(self)->name, type);
}

void mock_fill_network(void) {
	PUT(IParser, parse, parse);
	PUT(IParser, getNbErrors, parser_errors);
	PUT(IParser, getError, mock_parser_error);
	PUT(IParser, deleteSelf, parser_delete);
	PUT(IParser, setFlag, parser_flag);
	PUT(IParser, clearFlag, parser_clear);
	PUT(IParser, getUsedVCPluginLibraries, parser_plugins);
	PUT(IParser, supportsModelV2, supports);
	PUT(IParser, getNbSubgraphs, parts);
	PUT(IParser, isSubgraphSupported, part_supported);
	PUT(IParser, getSubgraphNodes, part_nodes);
	PUT(IParserError, node, error_node);
	PUT(IParserError, localFunctionStack, error_functions);
	PUT(IParserError, localFunctionStackSize, error_depth);
	PUT(IParserError, desc, error_text);
	PUT(IParserError, nodeName, error_name);
	PUT(IParserError, nodeOperator, error_op);
	PUT(VNetworkDefinition, getNbLayers, layers);
	PUT(VNetworkDefinition, getLayer, layer);
	PUT(VNetworkDefinition, getNbInputs, inputs);
	PUT(VNetworkDefinition, getInput, input);
	PUT(VNetworkDefinition, getNbOutputs, outputs);
	PUT(VNetworkDefinition, getOutput, output);
	PUT(VNetworkDefinition, markOutput, mark);
	PUT(VNetworkDefinition, unmarkOutput, unmark);
	PUT(VNetworkDefinition, markDebug, mark_debug);
	PUT(VNetworkDefinition, markUnfusedTensorsAsDebugTensors, mark_unfused);
	PUT(VLayer, getName, name_of);
	PUT(VLayer, getType, layer_type);
	PUT(VLayer, getNbInputs, layer_inputs);
	PUT(VLayer, getInput, layer_input);
	PUT(VLayer, getNbOutputs, layer_outputs);
	PUT(VLayer, getOutput, layer_output);
	PUT(VLayer, setPrecision, layer_precision);
	PUT(VLayer, setOutputType, layer_output_type);
	PUT(VTensor, setName, set_name);
	PUT(VAttentionBoundaryLayer, getAttention, attention);
	PUT(VAttention, setDecomposable, set_decomposable);
	PUT(VTensor, getName, name_of);
	PUT(VTensor, getDimensions, dims);
	PUT(VTensor, getType, type);
	PUT(VTensor, isNetworkOutput, is_output);
	PUT(VTensor, isShapeTensor, is_shape);
	PUT(VTensor, isExecutionTensor, is_execution);
	PUT(VTensor, setAllowedFormats, allow_formats);
	PUT(VTensor, setType, set_type);
}
