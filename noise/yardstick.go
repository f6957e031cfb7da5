package noise

import (
	"context"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// enoughBits is the number of significant bits of a float32 that an engine must keep to measure
// noise. TF32 and float16 keep 11 bits, and bfloat16 keeps 8. Engines that emulate float32 with
// lower precisions lose one or two of its 24 bits.
const enoughBits = 20

// Float32 rejects an engine that computes in less than float32, since its noise would explain
// errors of that lower precision. Engines that cannot open the probe, because their options are for
// another model, are accepted.
func Float32(ctx context.Context, engine backends.Engine) error {
	bits, err := significantBits(ctx, engine)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil || bits >= enoughBits {
		return nil //nolint:nilerr // accepted, as documented
	}
	return fmt.Errorf("%v keeps %d of the 24 bits of a float32, so its noise would explain "+
		"lower-precision errors: measure in a float32 engine or use a file with stored noise",
		engine, bits)
}

// significantBits returns how many bits of a float32 survive a MatMul and a Conv, as activations
// and as weights. Each sum has a single non-zero term, so summation does not round.
func significantBits(ctx context.Context, engine backends.Engine) (int, error) {
	model, set, want, err := probe()
	if err != nil {
		return 0, err
	}
	run, err := backends.RunIn(passing.Context(ctx), engine, model, fixtures.Of(set))
	if err != nil {
		return 0, err
	}
	outputs := run.Outputs()
	if len(outputs) != 1 || outputs[0].Len() != 4 {
		return 0, fmt.Errorf("the probe returned %d outputs", len(outputs))
	}
	worst := 0.0
	for _, t := range outputs[0].All() {
		if t.Len() != want.Len() {
			return 0, fmt.Errorf("the probe returned %v%v", t.ElementType(), t.Shape())
		}
		for i := range t.Len() {
			worst = max(worst, math.Abs(t.Float64At(i)/want.Float64At(i)-1))
		}
	}
	if !(worst > 0x1p-24) {
		return 24, nil
	}
	return max(0, int(-math.Log2(worst))), nil
}

const side = 32 // the number of rows and of columns of the probe's matrices

// probe builds a model of four products: x·P, p·W, and both as 1×1 convolutions. P and p are
// identity matrices, so every output equals want, whose values use all 24 bits.
func probe() (model *loaders.Model, inputs *tensor.Set, want *tensor.Tensor, err error) {
	full, one := make([]float32, side*side), make([]float32, side*side)
	for i := range side {
		one[i*side+i] = 1
		for k := range side {
			n := i*side + k
			mantissa := uint32(n)*0x9e3779b1>>9 | 1 // varied, with the last bit set
			full[n] = math.Float32frombits(0x3f800000 | mantissa)
		}
	}
	var graph []byte
	put := func(name string, values []float32, shape ...int) *tensor.Tensor {
		t, wrong := tensor.New(shape, values)
		if wrong != nil {
			err = wrong
		}
		message, wrong := onnxpb.Append(nil, name, t)
		if wrong != nil {
			err = wrong
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer, message)
		return t
	}
	put("P", one, side, side)
	put("W", full, side, side)
	put("kP", one, side, side, 1, 1)
	put("kW", full, side, side, 1, 1)
	graph = onnxwire.AppendText(graph, onnxwire.GraphName, "probe")
	for _, n := range [][4]string{{"MatMul", "x", "P", "y"}, {"MatMul", "p", "W", "v"},
		{"Conv", "image", "kP", "z"}, {"Conv", "ones", "kW", "u"}} {
		node := onnxwire.AppendText(nil, 1, n[1])
		node = onnxwire.AppendText(node, 1, n[2])
		node = onnxwire.AppendText(node, 2, n[3])
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphNode, onnxwire.AppendText(node, 4, n[0]))
	}
	matrix, image := []int{side, side}, []int{1, side, 4, side / 4}
	var entries []tensor.Entry
	for _, v := range []struct {
		in, out string
		values  []float32
		shape   []int
	}{{"x", "y", full, matrix}, {"p", "v", one, matrix}, {"image", "z", full, image},
		{"ones", "u", one, image}} {
		t, wrong := tensor.New(v.shape, v.values)
		if wrong != nil {
			return nil, nil, nil, wrong
		}
		entries = append(entries, tensor.Entry{Name: v.in, Tensor: t})
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInput,
			onnxwire.AppendValue(nil, v.in, floats(v.shape)))
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphOutput,
			onnxwire.AppendValue(nil, v.out, floats(v.shape)))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	message := onnxwire.AppendVarint(nil, onnxwire.ModelIRVersion, probeIR)
	message = onnxwire.AppendMessage(message, onnxwire.ModelOpset,
		onnxwire.AppendVarint(nil, 2, probeOpset))
	message = onnxwire.AppendMessage(message, onnxwire.ModelGraph, graph)
	if inputs, err = tensor.NewSet(entries...); err != nil {
		return nil, nil, nil, err
	}
	want, err = tensor.New(matrix, full)
	return loaders.ONNXBytes("probe.onnx", message), inputs, want, err
}

const (
	probeIR    = 8
	probeOpset = 13
)

// floats returns the ONNX type of a float32 tensor.
func floats(shape []int) *onnxwire.Type {
	t := &onnxwire.Type{Kind: onnxwire.TensorKind, Elem: 1, HasShape: true}
	for _, d := range shape {
		t.Dims = append(t.Dims, onnxwire.Dim{Size: int64(d)})
	}
	return t
}
