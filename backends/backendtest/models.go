package backendtest

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// floats returns the declaration of a float32 input or output.
func floats(name string, dims ...any) onnxtest.Value {
	return onnxtest.Value{Name: name, Elem: 1, Dims: dims}
}

// identity returns a model that computes y = x for tensors of the given type and rank; every
// dimension is dynamic.
func identity(elem tensor.ElementType, rank int) *loaders.Model {
	dims := make([]any, rank)
	for i := range dims {
		dims[i] = fmt.Sprintf("d%d", i)
	}
	number := made(loaders.Value{Kind: loaders.Tensor, Type: elem}.WireType()).Elem
	opset, ir := since(number)
	m := onnxtest.Model{IR: ir, Opsets: map[string]int64{"": opset}, Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Identity", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: number, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: number, Dims: dims}}}}
	return loaders.ONNXBytes(fmt.Sprintf("identity_%v_%d", elem, rank), m.Bytes())
}

// since returns the first opset and IR version in which Identity supports an element type. number
// is the type's number in ONNX.
func since(number int32) (opset, ir int64) {
	switch {
	case number <= 16:
		return 13, 8
	case number <= 20: // the float8 types
		return 19, 9
	case number <= 22: // uint4, int4
		return 21, 10
	}
	opset = min(int64(number), 25) // opset 23 adds type 23, and so on; opset 25 adds 25 and 26
	return opset, opset - 12
}

// arithmetic returns a model with two inputs, declared in reverse alphabetical order, and two
// outputs: difference = minuend − subtrahend, and opposite = −difference. Inputs and outputs are
// float32[n,3].
func arithmetic() *loaders.Model {
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Sub", In: []string{"subtrahend", "minuend"}, Out: []string{"opposite"}},
			{Op: "Sub", In: []string{"minuend", "subtrahend"}, Out: []string{"difference"}},
		},
		Inputs:  []onnxtest.Value{floats("subtrahend", "n", 3), floats("minuend", "n", 3)},
		Outputs: []onnxtest.Value{floats("opposite", "n", 3), floats("difference", "n", 3)}}}
	return loaders.ONNXBytes("arithmetic", m.Bytes())
}

// constant returns a model without inputs whose output y is always [1 2 3].
func constant() *loaders.Model {
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Identity", In: []string{"c"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{3},
			Raw: onnxtest.Float32s(1, 2, 3)}},
		Outputs: []onnxtest.Value{floats("y", 3)}}}
	return loaders.ONNXBytes("constant", m.Bytes())
}

// layers returns a small network, softmax(relu(x·w)·w), where x is float32[n,width]. It serves to
// check that results are repeatable: an engine might sum the terms of a matrix multiplication in a
// different order in each run.
func layers() *loaders.Model {
	weights := make([]float32, width*width)
	for i := range weights {
		weights[i] = float32(i*7919%1000)/1000 - 0.5
	}
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"first"}},
			{Op: "Relu", In: []string{"first"}, Out: []string{"second"}},
			{Op: "MatMul", In: []string{"second", "w"}, Out: []string{"third"}},
			{Op: "Softmax", In: []string{"third"}, Out: []string{"y"}},
		},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{width, width},
			Raw: onnxtest.Float32s(weights...)}},
		Inputs:  []onnxtest.Value{floats("x", "n", width)},
		Outputs: []onnxtest.Value{floats("y", "n", width)}}}
	return loaders.ONNXBytes("layers", m.Bytes())
}

const width = 64

// unknown returns a model with an operator that does not exist.
func unknown() *loaders.Model {
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Frobnicate", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{floats("x", 2)},
		Outputs: []onnxtest.Value{floats("y", 2)}}}
	return loaders.ONNXBytes("unknown", m.Bytes())
}
