package pairing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Quantization maps the integers q of a tensor to the values (q − zero) · scale.
type Quantization struct {
	Type  tensor.ElementType
	scale []float64 // one for the tensor, or one per index of axis
	zero  []float64 // as many as scale, or one
	axis  int
}

// Integers finds out which integer tensors of a graph are quantized, and with which scale and zero
// point.
type Integers struct{ graph *Graph }

// scaled maps each operator with a quantized result to the index of the input that contains the
// scale of the result. The input after that is the zero point.
var scaled = map[string]int{"QuantizeLinear": 1, "QLinearConv": 6, "QLinearMatMul": 6, "QGemm": 7,
	"QLinearAdd": 6, "QLinearMul": 6, "QLinearSigmoid": 3, "QLinearLeakyRelu": 3,
	"QLinearAveragePool": 3, "QLinearGlobalAveragePool": 3, "QLinearSoftmax": 3,
	"QLinearReduceMean": 3, "QLinearConcat": 0, "QLinearWhere": 7}

// selecting is the set of operators whose results consist of elements of their first input. The
// scale of a quantized input is therefore also the scale of the result.
var selecting = map[string]bool{"MaxPool": true, "Reshape": true, "Flatten": true, "Squeeze": true,
	"Unsqueeze": true, "Transpose": true, "Identity": true, "Dropout": true, "Gather": true,
	"GatherND": true, "GatherElements": true, "Slice": true, "Split": true, "Expand": true,
	"Tile": true, "DepthToSpace": true, "SpaceToDepth": true}

// Selects reports whether the results of an operator consist of elements of its first input.
func Selects(op string) bool { return selecting[op] }

// ranges maps each quantized type to its smallest and its largest integer.
var ranges = map[tensor.ElementType][2]float64{tensor.Uint8: {0, 255}, tensor.Int8: {-128, 127},
	tensor.Uint16: {0, 65535}, tensor.Int16: {-32768, 32767}}

// Of returns the quantization of a node's result. It returns nil if the result is not quantized or
// if its scale is known only at run time. It also returns nil if only DequantizeLinear nodes read
// the result, because the outputs of those nodes show the values already.
func (in Integers) Of(name string) *Quantization {
	q, known := in.graph.quantized[name]
	if !known {
		q = in.find(name)
		in.graph.quantized[name] = q
	}
	return q
}

func (in Integers) find(name string) *Quantization {
	if in.graph.output[name] {
		return nil // outputs are compared unchanged
	}
	n := in.graph.Made(name)
	if n == nil || n.Op == "QuantizeLinear" && in.onlyDequantized(name) {
		return nil
	}
	for range in.graph.Nodes { // bounded, because an invalid model may have a cycle
		if at, ok := scaled[n.Op]; ok {
			return in.quantization(n.Inputs, at, int(n.Number("axis", 1)))
		}
		if !selecting[n.Op] || len(n.Inputs) == 0 {
			break
		}
		if n = in.graph.Made(n.Inputs[0]); n == nil {
			break
		}
	}
	return nil
}

// onlyDequantized reports whether only DequantizeLinear nodes read a tensor.
func (in Integers) onlyDequantized(name string) bool {
	return !slices.ContainsFunc(in.graph.readers[name], func(i int) bool {
		return in.graph.Nodes[i].Op != "DequantizeLinear"
	})
}

// quantization reads a scale and a zero point, whose names are at two consecutive indices of a
// list.
func (in Integers) quantization(inputs []string, at, axis int) *Quantization {
	if at >= len(inputs) || inputs[at] == "" {
		return nil
	}
	scale, err := in.graph.Weight(inputs[at])
	if err != nil || scale.Len() == 0 {
		return nil
	}
	q := &Quantization{Type: tensor.Uint8, scale: scale.Float64s(), zero: []float64{0}, axis: axis}
	if at+1 < len(inputs) && inputs[at+1] != "" {
		zero, err := in.graph.Weight(inputs[at+1])
		if err != nil || zero.Len() != scale.Len() && zero.Len() != 1 {
			return nil
		}
		q.Type, q.zero = zero.ElementType(), zero.Float64s()
	}
	if _, known := ranges[q.Type]; !known {
		return nil
	}
	return q
}

// each calls f with the index, the scale and the zero point of every element.
func (q *Quantization) each(shape tensor.Shape, f func(i int, scale, zero float64)) error {
	n, err := shape.Elements()
	if err != nil {
		return err
	}
	if len(q.scale) == 1 {
		for i := range n {
			f(i, q.scale[0], q.zero[0])
		}
		return nil
	}
	axis := q.axis
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) || shape[axis] != len(q.scale) {
		return fmt.Errorf("%d scales do not fit axis %d of shape %v", len(q.scale), q.axis, shape)
	}
	inner, _ := shape[axis+1:].Elements()
	for i := range n {
		k := i / inner % len(q.scale)
		f(i, q.scale[k], q.zero[min(k, len(q.zero)-1)])
	}
	return nil
}

// Values dequantizes a tensor to float32.
func (q *Quantization) Values(t *tensor.Tensor) (*tensor.Tensor, error) {
	values := make([]float32, t.Len())
	err := q.each(t.Shape(), func(i int, scale, zero float64) {
		values[i] = float32((t.Float64At(i) - zero) * scale)
	})
	if err != nil {
		return nil, err
	}
	return tensor.New(t.Shape(), values)
}

// Integers quantizes values: round(v / scale) + zero, with ties to even, clipped to the type's
// range.
func (q *Quantization) Integers(t *tensor.Tensor) (*tensor.Tensor, error) {
	values := make([]float64, t.Len())
	err := q.each(t.Shape(), func(i int, scale, zero float64) {
		values[i] = math.RoundToEven(t.Float64At(i)/scale) + zero
	})
	if err != nil {
		return nil, err
	}
	return sets.Pack(q.Type, t.Shape(), values)
}

// quantizedTo returns a tensor's own quantization. For the output of a DequantizeLinear node, it
// returns the quantization of the node's input.
func (in Integers) quantizedTo(name string) *Quantization {
	if n := in.graph.Made(name); n != nil && n.Op == "DequantizeLinear" {
		return in.quantization(n.Inputs, 1, int(n.Number("axis", 1)))
	}
	return in.Of(name)
}

// clips reports whether some values of the sketched tensor lie outside the quantized range. This is
// the case if the quantizer has folded a Relu or a Clip into the range.
func (q *Quantization) clips(s *Sketch) bool {
	if q == nil || s == nil || len(q.scale) != 1 {
		return false
	}
	ends := ranges[q.Type]
	low, high := float64((ends[0]-q.zero[0])*q.scale[0]), float64((ends[1]-q.zero[0])*q.scale[0])
	return s.Min < low-float64(2*q.scale[0]) || s.Max > high+float64(2*q.scale[0])
}

// QuantizedWeight is a weight stored as integers, together with its scale.
type QuantizedWeight struct {
	Node   int                // the node that reads it
	Class  string             // the node's class, see [Class]
	Name   string             // the initializer, or the Constant node's output
	Type   tensor.ElementType // the integers' type
	Values *tensor.Tensor
	// Scale is the quantization step of each element.
	Scale []float64
	// Was is the weight's original name, assuming the naming of ONNX Runtime's quantizer.
	Was string
}

// weighted maps operators to the index of the input that is a quantized weight. The two inputs
// after that are the scale and the zero point of the weight.
var weighted = map[string]int{"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3}

// Weights returns the quantized weights that operators read, in graph order.
func (in Integers) Weights() []QuantizedWeight {
	var list []QuantizedWeight
	for i := range in.graph.Nodes {
		n := &in.graph.Nodes[i]
		if at, ok := weighted[n.Op]; ok && at+1 < len(n.Inputs) {
			axis := 0 // the output channels of a Conv
			switch {
			case n.Op == "QLinearMatMul", n.Op == "QGemm" && n.Number("transB", 0) == 0:
				axis = -1
			}
			list = in.addWeight(list, i, n.Inputs[at], in.quantization(n.Inputs, at+1, axis))
			continue
		}
		if n.Op != "MatMulInteger" && n.Op != "ConvInteger" || len(n.Inputs) < 2 {
			continue
		}
		// A Mul after the node applies the scale.
		was := strings.TrimSuffix(n.Inputs[1], quantizedSuffix)
		if in.graph.HasWeight(was+"_scale") && in.graph.HasWeight(was+"_zero_point") {
			axis := -1
			if n.Op == "ConvInteger" {
				axis = 0
			}
			apart := []string{was + "_scale", was + "_zero_point"}
			list = in.addWeight(list, i, n.Inputs[1], in.quantization(apart, 0, axis))
		}
	}
	return list
}

// quantizedSuffix is the suffix that ONNX Runtime's quantizer appends to the names of weights.
const quantizedSuffix = "_quantized"

func (in Integers) addWeight(list []QuantizedWeight, node int, name string,
	q *Quantization) []QuantizedWeight {
	if q == nil || !in.graph.HasWeight(name) {
		return list
	}
	integers, err := in.graph.Weight(name)
	if err != nil {
		return list
	}
	w := QuantizedWeight{Node: node, Class: Class(in.graph.Nodes[node].Op), Name: name, Type: q.Type,
		Was: strings.TrimSuffix(name, quantizedSuffix)}
	if w.Values, err = q.Values(integers); err != nil {
		return list
	}
	w.Scale = make([]float64, integers.Len())
	err = q.each(integers.Shape(), func(i int, scale, _ float64) { w.Scale[i] = scale })
	if err != nil {
		return list
	}
	return append(list, w)
}

// Scale returns the scale of a quantized or dequantized tensor. It returns false if the tensor has
// no scale or several scales.
func (in Integers) Scale(name string) (float64, bool) {
	q := in.quantizedTo(name)
	if q == nil || len(q.scale) != 1 {
		return 0, false
	}
	return q.scale[0], true
}

// Used reports whether the graph contains quantized tensors.
func (in Integers) Used() bool {
	return slices.ContainsFunc(in.graph.Nodes, func(n describe.Node) bool {
		_, integers := scaled[n.Op]
		return integers || quantizes[n.Op]
	})
}

// quantizes is the set of operators that read or write quantized tensors, beyond the operators in
// scaled.
var quantizes = map[string]bool{"DequantizeLinear": true, "DynamicQuantizeLinear": true,
	"DynamicQuantizeMatMul": true, "DynamicQuantizeLSTM": true, "MatMulInteger": true,
	"MatMulIntegerToFloat": true, "ConvInteger": true, "MatMulNBits": true, "QAttention": true,
	"QEmbedLayerNormalization": true}
