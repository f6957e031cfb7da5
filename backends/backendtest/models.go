package backendtest

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// identity returns y = x for tensors of the given type and rank; every dimension is dynamic.
func identity(elem tensor.ElementType, rank int) *loaders.Model {
	dims := make([]any, rank)
	for i := range dims {
		dims[i] = fmt.Sprintf("d%d", i)
	}
	d := onnx[elem]
	m := onnxtest.Model{IR: d.ir, Opsets: map[string]int64{"": d.opset}, Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Identity", In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: d.number, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: d.number, Dims: dims}}}}
	return loaders.ONNXBytes(fmt.Sprintf("identity_%v_%d", elem, rank), m.Bytes())
}

// onnx maps each element type to its number in ONNX, and to the first opset and IR version whose
// Identity supports it.
var onnx = map[tensor.ElementType]struct {
	number    int32
	opset, ir int64
}{
	tensor.Float32:        {1, 13, 8},
	tensor.Uint8:          {2, 13, 8},
	tensor.Int8:           {3, 13, 8},
	tensor.Uint16:         {4, 13, 8},
	tensor.Int16:          {5, 13, 8},
	tensor.Int32:          {6, 13, 8},
	tensor.Int64:          {7, 13, 8},
	tensor.String:         {8, 13, 8},
	tensor.Bool:           {9, 13, 8},
	tensor.Float16:        {10, 13, 8},
	tensor.Float64:        {11, 13, 8},
	tensor.Uint32:         {12, 13, 8},
	tensor.Uint64:         {13, 13, 8},
	tensor.BFloat16:       {16, 13, 8},
	tensor.Float8E4M3FN:   {17, 19, 9},
	tensor.Float8E4M3FNUZ: {18, 19, 9},
	tensor.Float8E5M2:     {19, 19, 9},
	tensor.Float8E5M2FNUZ: {20, 19, 9},
	tensor.Uint4:          {21, 21, 10},
	tensor.Int4:           {22, 21, 10},
	tensor.Float4E2M1:     {23, 23, 11},
	tensor.Float8E8M0:     {24, 24, 12},
	tensor.Uint2:          {25, 25, 13},
	tensor.Int2:           {26, 25, 13},
}

// arithmetic returns a model with two inputs, declared in reverse alphabetical order, and two
// outputs: difference = minuend − subtrahend, and opposite = −difference. Inputs and outputs are
// float32[n,3].
func arithmetic() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Sub", In: []string{"subtrahend", "minuend"}, Out: []string{"opposite"}},
			{Op: "Sub", In: []string{"minuend", "subtrahend"}, Out: []string{"difference"}},
		},
		Inputs:  []onnxtest.Value{value("subtrahend"), value("minuend")},
		Outputs: []onnxtest.Value{value("opposite"), value("difference")}}}
	return loaders.ONNXBytes("arithmetic", m.Bytes())
}

// constant returns a model without inputs whose output y is always [1 2 3].
func constant() *loaders.Model {
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Identity", In: []string{"c"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{3},
			Raw: onnxtest.Float32s(1, 2, 3)}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{3}}}}}
	return loaders.ONNXBytes("constant", m.Bytes())
}

// layers returns a small network, softmax(relu(x·w)·w), where x is float32[n,width]. An engine
// might sum its products in a different order in each run.
func layers() *loaders.Model {
	weights := make([]float32, width*width)
	for i := range weights {
		weights[i] = float32(i*7919%1000)/1000 - 0.5
	}
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", width}}
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
		Inputs:  []onnxtest.Value{value("x")},
		Outputs: []onnxtest.Value{value("y")}}}
	return loaders.ONNXBytes("layers", m.Bytes())
}

const width = 64

// unknown returns a model with an operator that does not exist.
func unknown() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{2}}
	}
	m := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: "Frobnicate", In: []string{"x"}, Out: []string{"y"}}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}}}
	return loaders.ONNXBytes("unknown", m.Bytes())
}
