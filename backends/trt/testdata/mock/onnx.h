// A reader for the few ONNX models that the mock runs: a graph of Identity, Relu, Add, Cast,
// NonZero, Expand and a few more over small tensors. It is no general parser, and trusts its input.
#pragma once
#include <stdint.h>

enum { MAX = 16, NAME = 64, RANK = 8 };

typedef struct {
	char name[NAME];
	int type; // ONNX's number
	int rank;
	int64_t dims[RANK]; // -1: dynamic
	const uint8_t *raw; // an initializer's data
	uint64_t raw_size;
} mock_value;

typedef struct {
	char name[NAME], op[NAME];
	char inputs[MAX][NAME], outputs[MAX][NAME];
	int ninputs, noutputs;
	int to; // a Cast's type, ONNX's number
} mock_node;

typedef struct {
	mock_node nodes[MAX];
	mock_value inputs[MAX], outputs[MAX], weights[MAX];
	int nnodes, ninputs, noutputs, nweights;
} mock_graph;

// onnx_read reads a model, and returns NULL or what is wrong.
const char *onnx_read(const uint8_t *data, uint64_t size, mock_graph *graph);
