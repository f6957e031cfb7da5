package conformance_test

import (
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

// addSwept adds the findings of a sweep over attributes and shapes that suites leave out.
func addSwept(add func(name string, answers gives, n node, entries ...tensor.Entry)) {
	line := func(values ...float32) tensor.Entry { return x(f32s(values...), 1, 1, len(values)) }
	lowest := "float32[1,1,2] [-3.4028235e+38 1]"
	add("MaxPool of NaN", gives{"ort": lowest, "openvino": lowest, "tract": lowest,
		evaluator: failure}, node{op: "MaxPool", opset: 17, attrs: attrs(numbers("kernel_shape", 1))},
		line(nan, 1))
	lowest = "float32[1,1,1] [-3.4028235e+38]"
	add("MaxPool of minus infinity", gives{"ort": lowest, "openvino": lowest, "tract": lowest,
		evaluator: "float32[1,1,1] [-Inf]"}, node{op: "MaxPool", opset: 17,
		attrs: attrs(numbers("kernel_shape", 2))}, line(-inf, -inf))
	for op, answers := range map[string]gives{
		"MaxPool": {"ort": "float32[1,1,4] [3 4 5 4]", "openvino": "float32[1,1,5] [2 3 4 5 4]",
			"tract": "float32[1,1,5] [2 3 4 5 4]", evaluator: "float32[1,1,5] [2 3 4 5 4]"},
		"AveragePool": {"ort": "float32[1,1,4] [2 3 4 4]", "openvino": "float32[1,1,5] [2 2 3 4 4]",
			"tract": "float32[1,1,5] [2 2 3 4 4]", evaluator: "float32[1,1,5] [2 3 4 4 0]"},
		"LpPool": {"ort": "float32[1,1,4] [3.1622777 4.472136 5.8309517 4]",
			"openvino": "float32[1,1,5] [2 3.1622777 4.472136 5.8309517 4]",
			evaluator:  "float32[1,1,5] [3.1622777 4.472136 5.8309517 4 0]"},
	} {
		add(op+" to the same size, with dilations", answers, node{op: op, opset: 22,
			attrs: attrs(numbers("kernel_shape", 2), numbers("dilations", 2),
				text("auto_pad", "SAME_UPPER"))}, line(1, 2, 3, 4, 5))
	}
	// The values of openvino#30666, whose model could not be read.
	add("ArgMin with NaN", gives{"ort": "int64[3,1] [0 0 2]", "openvino": "int64[3,1] [2 0 2]",
		"tract": "int64[3,1] [2 0 2]", evaluator: "int64[3,1] [0 0 2]"},
		node{op: "ArgMin", opset: 17, elem: 7, attrs: attrs(number("axis", 1))},
		x(f32s(nan, 2, 1, 0, 1, 2, 2, 1, 0), 3, 3))
	add("Celu with an alpha", gives{"ort": "float32[1] [-0.43233237]",
		"openvino": "float32[1] [-0.43233237]", "tract": "float32[1] [-0.86466473]",
		evaluator: "float32[1] [-0.43233237]"},
		node{op: "Celu", opset: 17, attrs: attrs(float("alpha", 0.5))}, x(f32s(-1)))
	add("Swish with an alpha", gives{"ort": "float32[1] [0.8807971]",
		"openvino": "float32[1] [0.8807971]", "tract": "float32[1] [0.7310586]",
		evaluator: "float32[1] [0.88079703]"},
		node{op: "Swish", opset: 24, attrs: attrs(float("alpha", 2))}, x(f32s(1)))
	add("Einsum to a scalar", gives{"ort": "float32[] [3]", "openvino": "float32[] [3]",
		"tract": "float32[2] [1 2]", evaluator: "float32[] [3]"},
		node{op: "Einsum", opset: 17, attrs: attrs(text("equation", "i->"))}, x(f32s(1, 2)))
	weights := func(gates int64) []onnxtest.Tensor {
		return []onnxtest.Tensor{filled("w", 1, 1, gates, 1), filled("r", 1, 1, gates, 1)}
	}
	for op, r := range map[string]struct {
		gates             int64
		backward, forward string
	}{
		"RNN":  {1, "[0.7615942 0]", "[0.7615942 0.64201504]"},
		"GRU":  {3, "[0.20482421 0]", "[0.20482421 0.16332248]"},
		"LSTM": {4, "[0.36960638 0]", "[0.36960638 0.29081306]"},
	} {
		backward, forward := "float32[2,1,1,1] "+r.backward, "float32[2,1,1,1] "+r.forward
		add(op+" in reverse", gives{"ort": backward, "openvino": backward, "tract": forward,
			evaluator: forward}, node{op: op, opset: 14, in: []string{"x", "w", "r"},
			attrs:     attrs(number("hidden_size", 1), text("direction", "reverse")),
			constants: weights(r.gates)}, x(f32s(1, 0), 2, 1, 1))
	}
	add("RNN by Relu", gives{"ort": "float32[1,1,1,1] [2]", "openvino": "float32[1,1,1,1] [2]",
		"tract": "float32[1,1,1,1] [0.9640276]", evaluator: failure},
		node{op: "RNN", opset: 14, in: []string{"x", "w", "r"}, attrs: attrs(number("hidden_size", 1),
			onnxtest.Attr{Name: "activations", Texts: []string{"Relu"}}), constants: weights(1)},
		x(f32s(2), 1, 1, 1))
	// i = σ(2), and f = 1 - i instead of σ(2).
	apart := "float32[1,1,1,1] [0.8271083]"
	add("LSTM whose gates are coupled", gives{"ort": "float32[1,1,1,1] [0.65880376]",
		"openvino": apart, "tract": apart, evaluator: apart},
		node{op: "LSTM", opset: 14, in: []string{"x", "w", "r", "", "", "h", "c"},
			attrs:     attrs(number("hidden_size", 1), number("input_forget", 1)),
			constants: append(weights(4), filled("h", 0, 1, 1, 1), filled("c", 1, 1, 1, 1))},
		x(f32s(2), 1, 1, 1))
	nothing := "float32[0,2] []"
	add("Expand to nothing", gives{"ort": nothing, "openvino": "float32[1,2] [1 2]",
		"tract": nothing, evaluator: nothing}, node{op: "Expand", opset: 17, in: []string{"x", "s"},
		constants: []onnxtest.Tensor{int64s("s", 0, 2)}}, x(f32s(1, 2), 1, 2))
	nothing = "float32[0] []"
	add("Range of nothing", gives{"ort": nothing, "openvino": "float32[3] [10 13 16]",
		"tract": nothing, evaluator: nothing}, node{op: "Range", opset: 17,
		in: []string{"x", "limit", "delta"}}, x(tensor.Scalar[float32](10)),
		named("limit", tensor.Scalar[float32](1)), named("delta", tensor.Scalar[float32](3)))
	logs := "float32[2] [0 0.6931472]"
	add("ReduceLogSum over no axes", gives{"ort": logs, "openvino": "float32[2] [1 2]",
		"tract": logs, evaluator: logs}, node{op: "ReduceLogSum", opset: 18,
		attrs: attrs(number("noop_with_empty_axes", 1))}, x(f32s(1, 2)))
	add("Softplus of -20", gives{"ort": "float32[2] [2.0611537e-09 0.6931472]",
		"openvino": "float32[2] [-1.9073486e-06 0.69314724]", "tract": "float32[2] [0 0.6931472]",
		evaluator: "float32[2] [0 0.6931472]"}, node{op: "Softplus", opset: 17}, x(f32s(-20, 0)))
	all, rows := "float32[1,2,2] [0.25 0.25 0.25 0.25]", "float32[1,2,2] [0.5 0.5 0.5 0.5]"
	add("Softmax of opset 11", gives{"ort": all, "openvino": rows, "tract": all, evaluator: rows},
		node{op: "Softmax", opset: 11}, x(f32s(0, 0, 0, 0), 1, 2, 2))
	add("QuantizeLinear of 3e9", gives{"ort": "int8[1] [127]", "openvino": "int8[1] [127]",
		"tract": "int8[1] [127]", evaluator: "int8[1] [-128]"}, node{op: "QuantizeLinear", opset: 17,
		elem: 3, in: []string{"x", "s", "z"}, constants: []onnxtest.Tensor{constant("s", nil, 1),
			{Name: "z", Type: 3, Raw: []byte{0}}}}, x(f32s(3e9)))
	shares := "float32[2] [0.25 -0.75]"
	add("LpNormalization with p 1", gives{"ort": shares, "openvino": shares, "tract": shares,
		evaluator: "float32[2] [-0.5 1.5]"}, node{op: "LpNormalization", opset: 17,
		attrs: attrs(number("p", 1))}, x(f32s(1, -3)))
	sums := "float32[1,1,2] [3 5]"
	add("Conv without padding", gives{"ort": sums, "openvino": sums, "tract": sums,
		evaluator: "float32[1,1,3] [3 5 3]"}, node{op: "Conv", opset: 17, in: []string{"x", "w"},
		attrs:     attrs(text("auto_pad", "VALID")),
		constants: []onnxtest.Tensor{filled("w", 1, 1, 1, 2)}}, line(1, 2, 3))
	add("DynamicQuantizeLinear of zeros", gives{"ort": "float32[] [1]", "openvino": "float32[] [0]",
		"tract": "float32[] [0]", evaluator: "float32[] [0.0039215689]"},
		node{op: "DynamicQuantizeLinear", opset: 17, out: []string{"q", "y", "z"}}, x(f32s(0, 0)))
}
