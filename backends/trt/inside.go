//go:build linux && cgo

package trt

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// runWithTensors runs the model of a backend that [engine.Open] returned, and also returns the
// named intermediate tensors; see [backends.Capabilities]. It runs a second engine, which is built
// with the same options but reports these tensors. TensorRT 10.12 and later report them as debug
// tensors. Earlier versions, and tensors that TensorRT rejects, need additional outputs, which can
// prevent the fusion of layers.
//
// The second engine comes from the engine cache. With [TimingCache], the two engines use the same
// kernels in all layers that both have.
func runWithTensors(ctx context.Context, b backends.Backend, inputs fixtures.Inputs,
	names []string) (*backends.Run, error) {
	if len(names) == 0 {
		return b.Run(ctx, inputs)
	}
	other, err := build(ctx, b.(*backend).order.showing(names))
	if err != nil {
		return nil, err
	}
	defer other.Close()
	run, err := other.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	run, err = run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		return typed(outputs, other.inside)
	})
	if err != nil {
		return nil, fmt.Errorf("tensorrt: tensor %w", err)
	}
	return run, nil
}

// typed converts the tensors inside the engine to the model's types, because [LayerPrecision]
// changes the types of a layer's outputs.
func typed(outputs *tensor.Set, inside []shown) (*tensor.Set, error) {
	return sets.Map(outputs, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		i := slices.IndexFunc(inside, func(s shown) bool { return s.Name == name })
		if i < 0 {
			return t, nil
		}
		return t.Convert(inside[i].Type)
	})
}

// shown is an intermediate tensor whose values runWithTensors returns.
type shown struct {
	Name string             `json:"name"`
	Type tensor.ElementType `json:"type,omitzero"` // as declared in the network
}

// find lists the tensors of a network that are to be read while the engine runs, except the
// outputs. If cast is true, casts have lowered the types of these tensors, and find lists them as
// float32.
func (m marks) find(tensors []trtabi.Tensor, cast bool) ([]shown, error) {
	if err := unfit(m.Debug, tensorNames(tensors), "tensor"); err != nil {
		return nil, err
	}
	var found []shown
	for _, t := range tensors {
		if t.IsOutput() || !slices.Contains(m.Inside, t.Name()) && !fits(m.Debug, t.Name()) {
			continue
		}
		elem, err := elementType(t.Type())
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name(), err)
		}
		if cast && isFloat(t.Type()) {
			elem = tensor.Float32
		}
		found = append(found, shown{Name: t.Name(), Type: elem})
	}
	return found, nil
}
