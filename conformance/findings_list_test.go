package conformance_test

import (
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// finding is a model of one node on which engines disagree although none of those listed rejects
// it. docs/evidence/findings.md explains who is wrong and why.
type finding struct {
	model  *loaders.Model
	inputs *tensor.Set
	gives  gives
}

// gives maps [voters] to their first outputs. Engines that are not listed reject the model. If
// ONNX's evaluator is not listed, it was not run.
type gives map[string]string

// evaluator is the name of ONNX's reference evaluator.
const evaluator = "evaluator"

// failure is the evaluator's entry if it raises an exception.
const failure = "an error"

// node is a model of one node.
type node struct {
	op        string
	opset     int64
	in        []string // x if empty
	out       []string // y if empty; the model's output is y
	constants []onnxtest.Tensor
	attrs     []onnxtest.Attr
	elem      int32 // type of y; 0 is float32
}

// of returns the model and its inputs.
func (n node) of(entries ...tensor.Entry) (*loaders.Model, *tensor.Set) {
	if n.in == nil {
		n.in = []string{"x"}
	}
	if n.out == nil {
		n.out = []string{"y"}
	}
	return several(n.op, n.opset, []onnxtest.Node{{Op: n.op, In: n.in, Out: n.out, Attrs: n.attrs}},
		n.constants, max(n.elem, 1), entries...)
}

// several is a model of several nodes whose output is y, and its inputs.
func several(name string, opset int64, nodes []onnxtest.Node, constants []onnxtest.Tensor,
	elem int32, entries ...tensor.Entry) (*loaders.Model, *tensor.Set) {
	var inputs []onnxtest.Value
	for _, e := range entries {
		dims := []any{}
		for _, d := range e.Tensor.Shape() {
			dims = append(dims, d)
		}
		inputs = append(inputs, onnxtest.Value{Name: e.Name, Elem: numberOf[e.Tensor.ElementType()],
			Dims: dims})
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		panic(err)
	}
	return loaders.ONNXBytes(name, onnxtest.Model{Opsets: map[string]int64{"": opset},
		Graph: onnxtest.Graph{Nodes: nodes, Initializers: constants, Inputs: inputs,
			Outputs: []onnxtest.Value{{Name: "y", Elem: elem}}}}.Bytes()), set
}

// numberOf returns ONNX's number of an element type.
var numberOf = map[tensor.ElementType]int32{tensor.Float32: 1, tensor.Int32: 6, tensor.Int64: 7}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

func f32s(v ...float32) *tensor.Tensor { return tensor.Of(v...) }

// x is an input named x, reshaped if dims are given.
func x(t *tensor.Tensor, dims ...int) tensor.Entry { return named("x", t, dims...) }

func named(name string, t *tensor.Tensor, dims ...int) tensor.Entry {
	if dims != nil {
		var err error
		if t, err = t.Reshape(dims); err != nil {
			panic(err)
		}
	}
	return tensor.Entry{Name: name, Tensor: t}
}

func number(name string, n int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Int: &n} }

func float(name string, n float32) onnxtest.Attr { return onnxtest.Attr{Name: name, Float: &n} }

func numbers(name string, n ...int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Ints: n} }

func text(name, v string) onnxtest.Attr { return onnxtest.Attr{Name: name, Text: v} }

func attrs(list ...onnxtest.Attr) []onnxtest.Attr { return list }

func constant(name string, dims []int64, values ...float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
}

// filled is a constant with equal elements.
func filled(name string, v float32, dims ...int64) onnxtest.Tensor {
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	return constant(name, dims, slices.Repeat([]float32{v}, int(size))...)
}

// findings are the observations with these [versions].
func findings() map[string]finding {
	list := map[string]finding{}
	add := func(name string, answers gives, n node, entries ...tensor.Entry) {
		f := finding{gives: answers}
		f.model, f.inputs = n.of(entries...)
		list[name] = f
	}
	add("NaN through Relu", gives{
		"ort": "float32[2] [NaN 1]", "openvino": "float32[2] [0 1]",
		"tract": "float32[2] [0 1]", evaluator: "float32[2] [NaN 1]",
	}, node{op: "Relu", opset: 17}, x(f32s(nan, 1)))
	add("NaN through HardSigmoid", gives{
		"ort": "float32[2] [NaN 0.7]", "openvino": "float32[2] [1 0.7]",
		"tract": "float32[2] [1 0.7]", evaluator: "float32[2] [NaN 0.7]",
	}, node{op: "HardSigmoid", opset: 17}, x(f32s(nan, 1)))
	add("NaN through Max", gives{
		"ort": "float32[3] [NaN NaN 3]", "openvino": "float32[3] [1 NaN 3]",
		"tract": "float32[3] [1 1 3]", evaluator: "float32[3] [NaN NaN 3]",
	}, node{op: "Max", opset: 17, in: []string{"x", "b"}},
		x(f32s(nan, 1, 2)), named("b", f32s(1, nan, 3)))
	add("NaN through Min", gives{
		"ort": "float32[3] [NaN NaN 2]", "openvino": "float32[3] [1 NaN 2]",
		"tract": "float32[3] [1 1 2]", evaluator: "float32[3] [NaN NaN 2]",
	}, node{op: "Min", opset: 17, in: []string{"x", "b"}},
		x(f32s(nan, 1, 2)), named("b", f32s(1, nan, 3)))
	add("NaN through Celu", gives{
		"ort": "float32[2] [NaN 1]", "openvino": "float32[2] [0 1]",
		"tract": "float32[2] [0 1]", evaluator: "float32[2] [NaN 1]",
	}, node{op: "Celu", opset: 17}, x(f32s(nan, 1)))
	add("NaN through Sigmoid", gives{
		"ort": "float32[2] [NaN 0.7310586]", "openvino": "float32[2] [NaN 0.7310586]",
		"tract": "float32[2] [4.4703484e-07 0.7310586]", evaluator: "float32[2] [NaN 0.7310586]",
	}, node{op: "Sigmoid", opset: 17}, x(f32s(nan, 1)))
	add("NaN through Tanh", gives{
		"ort": "float32[2] [NaN 0.7615942]", "openvino": "float32[2] [NaN 0.7615942]",
		"tract": "float32[2] [-0.9999994 0.7615942]", evaluator: "float32[2] [NaN 0.7615942]",
	}, node{op: "Tanh", opset: 17}, x(f32s(nan, 1)))
	add("NaN through Exp", gives{
		"ort": "float32[2] [NaN 2.7182817]", "openvino": "float32[2] [+Inf 2.7182817]",
		"tract": "float32[2] [NaN 2.7182817]", evaluator: "float32[2] [NaN 2.7182817]",
	}, node{op: "Exp", opset: 17}, x(f32s(nan, 1)))
	add("ReduceMin with NaN inside", gives{
		"ort": "float32[] [-9.5]", "openvino": "float32[] [-1.5]",
		"tract": "float32[] [-9.5]", evaluator: "float32[] [NaN]",
	}, node{op: "ReduceMin", opset: 17,
		attrs: attrs(numbers("axes", 0), number("keepdims", 0))}, x(f32s(-9.5, nan, -1.5)))
	add("NaN through Clip", gives{
		"ort": "float32[2] [NaN 1]", "openvino": "float32[2] [-1 1]",
		"tract": "float32[2] [-1 1]", evaluator: "float32[2] [NaN 1]",
	}, node{op: "Clip", opset: 17, in: []string{"x", "lo", "hi"},
		constants: []onnxtest.Tensor{constant("lo", nil, -1), constant("hi", nil, 1)}},
		x(f32s(nan, 5)))
	add("ReduceMax of nothing", gives{
		"ort":      "float32[2] [-Inf -Inf]",
		"openvino": "float32[2] [-3.4028235e+38 -3.4028235e+38]",
		"tract":    "float32[2] [-3.4028235e+38 -3.4028235e+38]",
		evaluator:  "float32[2] [-Inf -Inf]",
	}, node{op: "ReduceMax", opset: 17,
		attrs: attrs(numbers("axes", 0), number("keepdims", 0))}, x(f32s(), 0, 2))
	add("ReduceMin of nothing", gives{
		"ort":      "float32[2] [+Inf +Inf]",
		"openvino": "float32[2] [3.4028235e+38 3.4028235e+38]",
		"tract":    "float32[2] [3.4028235e+38 3.4028235e+38]",
		evaluator:  "float32[2] [+Inf +Inf]",
	}, node{op: "ReduceMin", opset: 17,
		attrs: attrs(numbers("axes", 0), number("keepdims", 0))}, x(f32s(), 0, 2))
	add("ReduceMean of nothing", gives{
		"ort": "float32[2] [0 0]", "openvino": "float32[2] [0 0]",
		"tract": "float32[2] [NaN NaN]", evaluator: "float32[2] [NaN NaN]",
	}, node{op: "ReduceMean", opset: 17,
		attrs: attrs(numbers("axes", 0), number("keepdims", 0))}, x(f32s(), 0, 2))
	add("Cast to int8 out of range", gives{
		"ort": "int8[2] [44 56]", "openvino": "int8[2] [44 56]",
		"tract": "int8[2] [127 -128]", evaluator: "int8[2] [44 56]",
	}, node{op: "Cast", opset: 19, elem: 3, attrs: attrs(number("to", 3))}, x(f32s(300, -200)))
	add("Resize with aligned corners to a fraction", gives{
		"ort": "float32[1,1,1,4] [0 2 4 6]", "openvino": "float32[1,1,1,4] [0 2 4 6]",
		"tract":   "float32[1,1,1,4] [0 1.875 3.75 5.625]",
		evaluator: "float32[1,1,1,4] [0 1.875 3.75 5.625]",
	}, node{op: "Resize", opset: 19, in: []string{"x", "", "s"}, attrs: attrs(text("mode", "linear"),
		text("coordinate_transformation_mode", "align_corners")),
		constants: []onnxtest.Tensor{constant("s", []int64{4}, 1, 1, 1, 0.6)}},
		x(f32s(0, 1, 2, 3, 4, 5, 6), 1, 1, 1, 7))
	add("LogSoftmax of what is far apart", gives{
		"ort": "float32[1,2] [0 -200]", "openvino": "float32[1,2] [0 -200]",
		"tract": "float32[1,2] [0 -Inf]", evaluator: "float32[1,2] [0 -Inf]",
	}, node{op: "LogSoftmax", opset: 17,
		attrs: attrs(number("axis", 1))}, x(f32s(0, -200), 1, 2))
	add("RNN with a clip", gives{
		"ort":      "float32[1,1,1,1] [0.4621172]",
		"openvino": "float32[1,1,1,1] [0.4621172]",
		"tract":    "float32[1,1,1,1] [0.9640276]",
		evaluator:  "float32[1,1,1,1] [0.9640276]",
	}, node{op: "RNN", opset: 14, in: []string{"x", "w", "r"},
		out: []string{"y", "h"}, attrs: attrs(number("hidden_size", 1), float("clip", 0.5)),
		constants: []onnxtest.Tensor{constant("w", []int64{1, 1, 1}, 1),
			constant("r", []int64{1, 1, 1}, 0)}}, x(f32s(2), 1, 1, 1))
	for op, y := range map[string][2]string{ // with and without the clip
		"GRU":  {"[0.17446804]", "[0.114914894]"},
		"LSTM": {"[0.1742697]", "[0.60828346]"},
	} {
		gates := map[string]int64{"GRU": 3, "LSTM": 4}[op]
		clipped, not := "float32[1,1,1,1] "+y[0], "float32[1,1,1,1] "+y[1]
		add(op+" with a clip", gives{"ort": clipped, "openvino": clipped, "tract": not, evaluator: not},
			node{op: op, opset: 14, in: []string{"x", "w", "r"}, out: []string{"y", "h"},
				attrs:     attrs(number("hidden_size", 1), float("clip", 0.5)),
				constants: []onnxtest.Tensor{filled("w", 1, 1, gates, 1), filled("r", 0, 1, gates, 1)}},
			x(f32s(2), 1, 1, 1))
	}
	for op, y := range map[string][2]string{ // three batches, or one sequence of three
		"LSTM": {"[0.36960638 0.36960638 0.36960638]", "[0.78876585]"},
		"RNN":  {"[0.7615942 0.7615942 0.7615942]", "[0.95974606]"},
	} {
		gates := map[string]int64{"RNN": 1, "LSTM": 4}[op]
		batches := "float32[3,1,1] " + y[0]
		add(op+" with batches first", gives{"openvino": "float32[1,1,1] " + y[1], "tract": batches,
			evaluator: batches}, node{op: op, opset: 14, in: []string{"x", "w", "r"},
			out: []string{"", "y"}, attrs: attrs(number("hidden_size", 1), number("layout", 1)),
			constants: []onnxtest.Tensor{filled("w", 1, 1, gates, 1), filled("r", 1, 1, gates, 1)}},
			x(f32s(1, 1, 1), 3, 1, 1))
	}
	add("ConvTranspose with an output shape", gives{
		"ort":      "float32[1,1,4] [10 102 20 200]",
		"openvino": "float32[1,1,4] [10 102 20 200]",
		"tract":    "float32[1,1,4] [1 10 102 20]",
		evaluator:  failure,
	}, node{op: "ConvTranspose", opset: 11,
		in: []string{"x", "w"}, attrs: attrs(numbers("output_shape", 4), numbers("strides", 2)),
		constants: []onnxtest.Tensor{constant("w", []int64{1, 1, 3}, 1, 10, 100)}},
		x(f32s(1, 2), 1, 1, 2))
	add("ReduceLogSumExp of integers", gives{
		"ort": "int32[2] [30 3]", "openvino": "int32[] [30]",
		"tract": "int32[2] [0 3]",
	}, node{op: "ReduceLogSumExp", opset: 17, elem: 6,
		attrs: attrs(numbers("axes", 1), number("keepdims", 0))}, x(tensor.Of[int32](30, 28, 3, 1), 2, 2))
	for _, op := range []string{"ReduceLogSum", "ReduceLogSumExp"} {
		y := map[string]string{"ReduceLogSum": "[0.6931472 1.3862944]",
			"ReduceLogSumExp": "[1.6931472 2.6931472]"}[op]
		all := map[string]string{"ReduceLogSum": "[1.7917595]", "ReduceLogSumExp": "[3.0064088]"}[op]
		add(op+" over an axis, opset 17", gives{"ort": "float32[2] " + y, "openvino": "float32[] " + all,
			"tract": "float32[2] " + y, evaluator: "float32[2] " + y}, node{op: op, opset: 17,
			attrs: attrs(numbers("axes", 1), number("keepdims", 0))}, x(f32s(1, 1, 2, 2), 2, 2))
	}
	axis := func(n int64) []onnxtest.Tensor {
		return []onnxtest.Tensor{{Name: "axis", Type: 7, Raw: onnxtest.Int64s(n)}}
	}
	square := x(f32s(1, 2, 3, 5), 1, 2, 2, 1)
	rows, columns := "float32[1,2,2,2] [4 0 7 0 -2 0 -3 0]", "float32[1,2,2,2] [3 0 -1 0 8 0 -2 0]"
	add("DFT over axis 2", gives{
		"ort": columns, "openvino": rows, "tract": columns, evaluator: columns},
		node{op: "DFT", opset: 20, in: []string{"x", "", "axis"}, constants: axis(2)}, square)
	add("DFT over the default axis", gives{"ort": columns, "openvino": rows, "tract": rows,
		evaluator: columns}, node{op: "DFT", opset: 20}, square)
	add("DFT, one side", gives{"ort": rows, "openvino": "float32[1,2,2,1,2] [4 0 7 0 -2 0 -3 0]",
		"tract": rows, evaluator: rows}, node{op: "DFT", opset: 20, in: []string{"x", "", "axis"},
		constants: axis(1), attrs: attrs(number("onesided", 1))}, square)
	back := "float32[1,2,2,1] [1 2 3 5]"
	add("DFT, back from one side", gives{"ort": back, "openvino": "float32[1,2,2] [1 2 3 5]",
		"tract": back, evaluator: back}, node{op: "DFT", opset: 20, in: []string{"x", "", "axis"},
		constants: axis(1), attrs: attrs(number("onesided", 1), number("inverse", 1))},
		x(f32s(4, 0, 7, 0, -2, 0, -3, 0), 1, 2, 2, 2))
	add("RoiAlign, the greatest sample", gives{
		"ort": "float32[1,1,1,1] [1]", "openvino": "float32[1,1,1,1] [2.5]",
		evaluator: "float32[1,1,1,1] [1]",
	}, node{op: "RoiAlign", opset: 16,
		in: []string{"x", "rois", "batch"}, attrs: attrs(text("mode", "max"),
			text("coordinate_transformation_mode", "output_half_pixel"), number("output_height", 1),
			number("output_width", 1), number("sampling_ratio", 1))},
		x(f32s(1, 2, 3, 4), 1, 1, 2, 2), named("rois", f32s(0, 0, 1, 1), 1, 4),
		named("batch", tensor.Of[int64](0)))
	add("MaxUnpool with an output shape", gives{
		"ort":     "float32[1,1,3,3] [0 0 0 5 0 0 0 0 … 1 more]",
		evaluator: "float32[1,1,3,3] [0 0 0 0 5 0 0 0 … 1 more]",
	}, node{op: "MaxUnpool", opset: 11,
		in:    []string{"x", "i", "s"},
		attrs: attrs(numbers("kernel_shape", 2, 2), numbers("strides", 2, 2)),
		constants: []onnxtest.Tensor{{Name: "s", Type: 7, Dims: []int64{4},
			Raw: onnxtest.Int64s(1, 1, 3, 3)}}},
		x(f32s(5), 1, 1, 1, 1), named("i", tensor.Of[int64](3), 1, 1, 1, 1))
	// The scores are equal, so y is the mean of the visible values: of 1, 3, 5 and 11 it is 1, 2, 3
	// and 5.
	causal := node{op: "Attention", opset: 23, in: []string{"q", "k", "v", "", "pk", "pv"},
		out: []string{"y", "p", "o"}, attrs: attrs(number("is_causal", 1))}
	past := []tensor.Entry{named("pk", f32s(0), 1, 1, 1, 1), named("pv", f32s(1), 1, 1, 1, 1)}
	add("Attention, causal, with a past", gives{
		"ort": "float32[1,1,2,1] [2 3]", "openvino": "float32[1,1,2,1] [3 5]",
		"tract": "float32[1,1,2,1] [1 2]", evaluator: "float32[1,1,2,1] [2 3]",
	}, causal, append(past,
		named("q", f32s(0, 0), 1, 1, 2, 1), named("k", f32s(0, 0, 0), 1, 1, 3, 1),
		named("v", f32s(3, 5, 11), 1, 1, 3, 1))...)
	add("Attention, causal, of one query", gives{
		"ort": "float32[1,1,1,1] [3]", "openvino": "float32[1,1,1,1] [3]",
		"tract": "float32[1,1,1,1] [1]", evaluator: "float32[1,1,1,1] [2]",
	}, causal, append(past,
		named("q", f32s(0), 1, 1, 1, 1), named("k", f32s(0, 0), 1, 1, 2, 1),
		named("v", f32s(3, 5), 1, 1, 2, 1))...)
	add("Attention, masked scores", gives{
		"ort":      "float32[1,1,1,2] [0 -3.4028235e+38]",
		"openvino": "float32[1,1,1,2] [0 -Inf]",
		evaluator:  "float32[1,1,1,2] [0 -Inf]",
	}, node{op: "Attention", opset: 23,
		in: []string{"q", "k", "v"}, out: []string{"o", "", "", "y"},
		attrs: attrs(number("is_causal", 1), number("qk_matmul_output_mode", 2))},
		named("q", f32s(0), 1, 1, 1, 1), named("k", f32s(0, 0), 1, 1, 2, 1),
		named("v", f32s(2, 4), 1, 1, 2, 1))
	add("Cast to float8e4m3fn out of range", gives{
		"ort":      "float8_e4m3fn[4] [448 448 -448 1]",
		"openvino": "float8_e4m3fn[4] [NaN NaN NaN 1]",
	}, node{op: "Cast", opset: 19, elem: 17,
		attrs: attrs(number("to", 17))}, x(f32s(1e6, inf, -inf, 1)))
	add("Cast to float8e5m2 out of range", gives{
		"ort":      "float8_e5m2[4] [57344 57344 -57344 1]",
		"openvino": "float8_e5m2[4] [+Inf +Inf -Inf 1]",
	}, node{op: "Cast", opset: 19, elem: 19,
		attrs: attrs(number("to", 19))}, x(f32s(1e6, inf, -inf, 1)))
	add("Cast to float8e8m0", gives{
		"ort": "float8_e8m0fnu[2] [1 2]", "openvino": "float8_e8m0fnu[2] [1 1]",
	}, node{op: "Cast", opset: 25, elem: 24,
		attrs: attrs(number("to", 24))}, x(f32s(1, 1.1)))
	add("Cast of NaN to float4e2m1", gives{
		"openvino": "float4_e2m1fn[2] [1 6]", evaluator: "float4_e2m1fn[2] [1 -0]",
	}, node{op: "Cast", opset: 23, elem: 23,
		attrs: attrs(number("to", 23))}, x(f32s(1, nan)))
	add("BatchNormalization of opset 9", gives{
		"ort": "float32[2,1] [1 3]", "openvino": "float32[2,1] [1 3]",
		"tract": "float32[2,1] [1 3]", evaluator: "float32[2,1] [0.8 2.8]",
	}, node{op: "BatchNormalization", opset: 9,
		in: []string{"x", "s", "b", "m", "v"}, attrs: attrs(float("epsilon", 0)),
		constants: []onnxtest.Tensor{constant("s", []int64{1}, 1), constant("b", []int64{1}, 0),
			constant("m", []int64{1}, 0), constant("v", []int64{1}, 1)}}, x(f32s(1, 3), 2, 1))
	add("LRN over an odd size", gives{
		"ort":      "float32[1,5,1,1] [0.5 0.33333334 0.33333334 0.33333334 0.5]",
		"openvino": "float32[1,5,1,1] [0.5 0.33333334 0.33333334 0.33333334 0.5]",
		"tract":    "float32[1,5,1,1] [0.5 0.33333334 0.33333334 0.33333334 0.5]",
		evaluator:  "float32[1,5,1,1] [0.5 +Inf +Inf +Inf +Inf]",
	}, node{op: "LRN", opset: 13, attrs: attrs(number("size", 3),
		float("alpha", 3), float("beta", 1), float("bias", 0))}, x(f32s(1, 1, 1, 1, 1), 1, 5, 1, 1))
	add("LRN over an even size", gives{
		"openvino": "float32[1,5,1,1] [0.5 0.33333334 0.33333334 0.33333334 0.5]",
		"tract":    "float32[1,5,1,1] [0.33333334 0.25 0.25 0.33333334 0.5]",
		evaluator:  "float32[1,5,1,1] [0.33333334 +Inf +Inf +Inf +Inf]",
	}, node{op: "LRN", opset: 13, attrs: attrs(number("size", 4),
		float("alpha", 4), float("beta", 1), float("bias", 0))}, x(f32s(1, 1, 1, 1, 1), 1, 5, 1, 1))
	addSwept(add)
	return list
}
