package noise

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Float32 returns an error if an engine computes a small MatMul or Conv in a lower precision than
// float32: noise measured in such an engine would excuse the errors of its lower precision. Float32
// accepts an engine that cannot open the model with these two nodes, for example because the
// engine's options are for a different model.
func Float32(ctx context.Context, engine backends.Engine) error {
	model, inputs, err := probe()
	if err != nil {
		return err
	}
	m := &meter{model: model, inputs: []*tensor.Set{inputs}, engine: engine, given: true}
	_, err = m.trusted(ctx)
	return err
}

// Repeats returns an error if the model draws random numbers that change its outputs. Differences
// between two runs of such a model say nothing about rounding.
func Repeats(ctx context.Context, engine backends.Engine, model *loaders.Model,
	inputs fixtures.Inputs) error {
	if draws, err := model.DrawsNumbers(); err != nil || !draws {
		return err
	}
	ctx = passing.Context(ctx)
	backend, err := engine.Open(ctx, model, inputs)
	if err != nil {
		return err
	}
	defer backend.Close() //nolint:errcheck // the runs' errors say more
	var runs [2]*backends.Run
	for i := range runs {
		if runs[i], err = backend.Run(ctx, inputs); err != nil {
			return err
		}
	}
	report, err := compare.Runs(runs[1].Outputs(), runs[0].Outputs(), compare.Options{NaNEqual: true,
		InfinitiesEqual: true, AllowEmpty: true,
		Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
	for _, o := range report.Outputs {
		if err == nil && o.Verdict == compare.Fail {
			return fmt.Errorf("the model draws random numbers: output %q differs between two runs in %v; "+
				"turn them off, or make them an input of the model", o.Name, engine)
		}
	}
	return err
}

const side = 32 // the number of rows and of columns of the probe's matrices

// probe builds a model with a MatMul and a Conv. Their operands use all 24 bits of float32.
func probe() (model *loaders.Model, inputs *tensor.Set, err error) {
	values := make([]float32, side*side)
	for n := range values {
		bits := uint32(n+1) * 0x9e3779b1 // pseudorandom
		values[n] = math.Float32frombits(0x3f800000 | bits&0x80000000 | bits>>9&0x7fffff | 1)
	}
	var graph []byte
	var entries []tensor.Entry
	graph = onnxwire.AppendText(graph, onnxwire.GraphName, "probe")
	for _, v := range []struct {
		op, in, weight, out string
		shape, weightShape  tensor.Shape
	}{
		{"MatMul", "x", "W", "probe y", tensor.Shape{side, side}, tensor.Shape{side, side}},
		{"Conv", "image", "kW", "probe z", tensor.Shape{1, side, 4, side / 4},
			tensor.Shape{side, side, 1, 1}},
	} {
		in, wrongIn := tensor.New(v.shape, values)
		weight, wrongWeight := tensor.New(v.weightShape, values)
		if wrong := errors.Join(wrongIn, wrongWeight); wrong != nil {
			return nil, nil, wrong
		}
		entries = append(entries, tensor.Entry{Name: v.in, Tensor: in})
		message, wrong := onnxpb.Append(nil, v.weight, weight)
		if wrong != nil {
			return nil, nil, wrong
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer, message)
		node := onnxwire.AppendText(nil, 1, v.in)
		node = onnxwire.AppendText(node, 1, v.weight)
		node = onnxwire.AppendText(node, 2, v.out)
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphNode, onnxwire.AppendText(node, 4, v.op))
		kind := &onnxwire.Type{Kind: onnxwire.TensorKind, Elem: 1, HasShape: true}
		for _, d := range v.shape { // also the shape of the result
			kind.Dims = append(kind.Dims, onnxwire.Dim{Size: int64(d)})
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInput,
			onnxwire.AppendValue(nil, v.in, kind))
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphOutput,
			onnxwire.AppendValue(nil, v.out, kind))
	}
	message := onnxwire.AppendModel(nil, probeIR, []onnxwire.Opset{{Version: probeOpset}}, graph)
	inputs, err = tensor.NewSet(entries...)
	return loaders.ONNXBytes("probe.onnx", message), inputs, err
}

const (
	probeIR    = 8
	probeOpset = 13
)
