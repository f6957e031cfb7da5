package locate_test

import (
	"bytes"
	"context"
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// engine computes in Go, with one fault, or none: y = tanh-like of x scaled, z = x + 1. It needs no
// library.
type engine struct {
	name  string
	fault string
}

func (e engine) Text() string     { return e.name + " " + e.fault }
func (e engine) String() string   { return e.name }
func (e engine) GoString() string { return e.name + ".Engine()" }

type backend struct{ engine }

func (e engine) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (
	backends.Backend, error) {
	if e.fault == "refuses" {
		return nil, errors.New(e.name + " is out of order")
	}
	return backend{e}, nil
}

func (b backend) Close() error { return nil }

func (b backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	var before *tensor.Set
	p := backends.Provenance{Backend: b.name, Version: "1"}
	return backends.Collect(ctx, p, backends.Subject{Engine: b.engine}, inputs,
		func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			values, err := tensor.Values[float32](x)
			if err != nil {
				return nil, err
			}
			y := make([]float32, len(values))
			z := make([]float32, len(values))
			for i, v := range values {
				y[i], z[i] = v*v+v/3, v+1
			}
			outputs, err := b.spoilt(x.Shape(), y, z)
			if err != nil || b.fault != "stale" {
				return outputs, err
			}
			if before == nil {
				before = outputs
			}
			outputs, before = before, outputs
			return outputs, nil
		})
}

// spoilt makes the outputs, with the fault.
func (b backend) spoilt(shape tensor.Shape, y, z []float32) (*tensor.Set, error) {
	switch b.fault {
	case "wrong value":
		y[len(y)-1]++
	case "both wrong":
		y[0]++
		z[0]--
	case "a bit":
		for i := range y {
			y[i] *= 1.0001
		}
	case "rows":
		cols := shape[1]
		first := append([]float32(nil), y[:cols]...)
		copy(y, y[cols:])
		copy(y[len(y)-cols:], first)
	}
	yt, err := tensor.New(shape, y)
	if err != nil {
		return nil, err
	}
	zt, err := tensor.New(shape, z)
	if err != nil {
		return nil, err
	}
	if b.fault == "float16" || b.fault == "bfloat16" {
		elem := map[string]tensor.ElementType{"float16": tensor.Float16,
			"bfloat16": tensor.BFloat16}[b.fault]
		if yt, err = narrowed(yt, elem); err != nil {
			return nil, err
		}
	}
	entries := []tensor.Entry{{Name: "y", Tensor: yt}, {Name: "z", Tensor: zt}}
	switch b.fault {
	case "lost":
		entries = entries[:1]
	case "names":
		entries[1].Name = "Z"
	case "type":
		if entries[0].Tensor, err = yt.Convert(tensor.Float64); err != nil {
			return nil, err
		}
	}
	return tensor.NewSet(entries...)
}

func narrowed(t *tensor.Tensor, elem tensor.ElementType) (*tensor.Tensor, error) {
	narrow, err := t.Convert(elem)
	if err != nil {
		return nil, err
	}
	return narrow.Convert(tensor.Float32)
}

// declared is a model by name alone.
type declared struct{}

func (declared) Name() string                     { return "declared" }
func (declared) Inputs() ([]loaders.Value, error) { return nil, nil }

// inputs is as many iterations of x, float32[3,4].
func inputs(iterations int) fixtures.Inputs {
	var sets []*tensor.Set
	for i := range iterations {
		values := make([]float32, 12)
		for j := range values {
			values[j] = float32(i) + float32(j*j%7)/7 + float32(j)/11
		}
		x, err := tensor.New(tensor.Shape{3, 4}, values)
		if err != nil {
			panic(err)
		}
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
		if err != nil {
			panic(err)
		}
		sets = append(sets, set)
	}
	return fixtures.Of(sets...)
}

// chain is a model for the search inside: y = relu(−x) + x, float32[2,3].
func chain() []byte {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{2, 3}}
	}
	return onnxtest.Model{Graph: onnxtest.Graph{Nodes: []onnxtest.Node{
		{Op: "Neg", Name: "minus", In: []string{"x"}, Out: []string{"m"}},
		{Op: "Relu", Name: "positive", In: []string{"m"}, Out: []string{"p"}},
		{Op: "Add", Name: "sum", In: []string{"p", "x"}, Out: []string{"y"}},
	}, Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}}}.Bytes()
}

// faulty is ONNX Runtime with one operator of its own: where a model has Relu it computes Tanh.
type faulty struct{}

func (faulty) Text() string     { return "faulty" }
func (faulty) String() string   { return "faulty" }
func (faulty) GoString() string { return "faulty{}" }

func (faulty) Open(ctx context.Context, model fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("faulty", model)
	if err != nil {
		return nil, err
	}
	data, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	wrong := loaders.ONNXBytes(m.Name(), bytes.ReplaceAll(data, []byte("Relu"), []byte("Tanh")))
	return ort.Engine().Open(ctx, wrong, in)
}

// double is the engine whose y is 1.0002 times as large.
type double struct{}

func (double) Text() string     { return "double" }
func (double) String() string   { return "double" }
func (double) GoString() string { return "double{}" }

func (double) Open(ctx context.Context, model fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	return doubled{}, nil
}

type doubled struct{}

func (doubled) Close() error { return nil }

func (doubled) Run(ctx context.Context, in fixtures.Inputs) (*backends.Run, error) {
	run, err := backend{engine{"double", ""}}.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		y, _ := outputs.Get("y")
		z, _ := outputs.Get("z")
		values, err := tensor.Values[float32](y)
		if err != nil {
			return nil, err
		}
		for i := range values {
			values[i] *= 1.0002
		}
		t, err := tensor.New(y.Shape(), values)
		if err != nil {
			return nil, err
		}
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t}, tensor.Entry{Name: "z", Tensor: z})
	})
}
