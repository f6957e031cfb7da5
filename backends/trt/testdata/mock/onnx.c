// See onnx.h. Field numbers are those of onnx.proto.
#include "onnx.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	const uint8_t *p, *end;
} span;

static uint64_t varint(span *s) {
	uint64_t v = 0;
	for (int shift = 0; s->p < s->end && shift < 64; shift += 7) {
		uint8_t b = *s->p++;
		v |= (uint64_t)(b & 127) << shift;
		if (b < 128) break;
	}
	return v;
}

// next reads a field: its number, its value where it is a number, its content where it has one.
static bool next(span *s, uint64_t *field, uint64_t *value, span *content) {
	if (s->p >= s->end) return false;
	uint64_t key = varint(s);
	*field = key >> 3;
	switch (key & 7) {
	case 0: *value = varint(s); return true;
	case 1: s->p += 8; return s->p <= s->end;
	case 5: s->p += 4; return s->p <= s->end;
	case 2: {
		uint64_t n = varint(s);
		if (n > (uint64_t)(s->end - s->p)) return false;
		*content = (span){s->p, s->p + n};
		s->p += n;
		return true;
	}
	}
	return false;
}

static void text(char to[NAME], span s) {
	snprintf(to, NAME, "%.*s", (int)(s.end - s.p), (const char *)s.p);
}

#define FIELDS(s)                                                                           \
	span content;                                                                           \
	uint64_t field, value;                                                                  \
	while (next(&s, &field, &value, &content))

static void read_dim(span s, mock_value *v) {
	int64_t size = -1;
	FIELDS(s) if (field == 1) size = (int64_t)value;
	if (v->rank < RANK) v->dims[v->rank++] = size;
}
static void read_shape(span s, mock_value *v) {
	FIELDS(s) if (field == 1) read_dim(content, v);
}
static void read_tensor_type(span s, mock_value *v) {
	FIELDS(s) {
		if (field == 1) v->type = (int)value;
		if (field == 2) read_shape(content, v);
	}
}
static void read_type(span s, mock_value *v) {
	FIELDS(s) if (field == 1) read_tensor_type(content, v);
}
static void read_value(span s, mock_value *v) {
	FIELDS(s) {
		if (field == 1) text(v->name, content);
		if (field == 2) read_type(content, v);
	}
}
static void read_weight(span s, mock_value *v) {
	FIELDS(s) {
		if (field == 1 && v->rank < RANK) v->dims[v->rank++] = (int64_t)value;
		if (field == 2) v->type = (int)value;
		if (field == 8) text(v->name, content);
		if (field == 9) v->raw = content.p, v->raw_size = (uint64_t)(content.end - content.p);
	}
}
static void read_attribute(span s, mock_node *n) {
	char name[NAME] = "";
	FIELDS(s) {
		if (field == 1) text(name, content);
		if (field == 3 && !strcmp(name, "to")) n->to = (int)value;
	}
}
static void read_node(span s, mock_node *n) {
	FIELDS(s) {
		if (field == 1 && n->ninputs < MAX) text(n->inputs[n->ninputs++], content);
		if (field == 2 && n->noutputs < MAX) text(n->outputs[n->noutputs++], content);
		if (field == 3) text(n->name, content);
		if (field == 4) text(n->op, content);
		if (field == 5) read_attribute(content, n);
	}
}
static void read_graph(span s, mock_graph *g) {
	FIELDS(s) {
		if (field == 1 && g->nnodes < MAX) read_node(content, &g->nodes[g->nnodes++]);
		if (field == 5 && g->nweights < MAX) read_weight(content, &g->weights[g->nweights++]);
		if (field == 11 && g->ninputs < MAX) read_value(content, &g->inputs[g->ninputs++]);
		if (field == 12 && g->noutputs < MAX) read_value(content, &g->outputs[g->noutputs++]);
	}
}

// A Sum of three becomes two layers, as TensorRT's parser makes of it: the first has the node's
// name, the second one of its own.
static void split(mock_graph *g) {
	for (int i = 0; i < g->nnodes && g->nnodes < MAX; i++) {
		if (strcmp(g->nodes[i].op, "Sum") || g->nodes[i].ninputs != 3) continue;
		memmove(&g->nodes[i + 1], &g->nodes[i], (size_t)(g->nnodes++ - i) * sizeof *g->nodes);
		mock_node *first = &g->nodes[i], *second = &g->nodes[i + 1];
		first->ninputs = second->ninputs = 2;
		snprintf(first->op, NAME, "Add");
		snprintf(second->op, NAME, "Add");
		snprintf(first->outputs[0], NAME, "(Unnamed Layer* %d) [ElementWise]_output", i);
		snprintf(second->inputs[0], NAME, "%s", first->outputs[0]);
		memcpy(second->inputs[1], second->inputs[2], NAME);
		snprintf(second->name, NAME, "(Unnamed Layer* %d) [ElementWise]", i + 1);
	}
}

const char *onnx_read(const uint8_t *data, uint64_t size, mock_graph *graph) {
	memset(graph, 0, sizeof *graph);
	span s = {data, data + size};
	bool found = false;
	FIELDS(s) if (field == 7) {
		found = true;
		read_graph(content, graph);
	}
	split(graph);
	return found ? NULL : "no graph in the model";
}
