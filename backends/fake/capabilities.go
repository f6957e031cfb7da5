package fake

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Capabilities returns what the fake can do: with the option [Inside], it can return tensors inside
// a model.
func (e engine) Capabilities() backends.Capabilities {
	if s, err := e.Settings(); err != nil || s.inside == nil {
		return backends.Capabilities{}
	}
	return backends.Capabilities{RunWithTensors: runWithTensors}
}

// runWithTensors adds the named tensors to each iteration, after the outputs.
func runWithTensors(ctx context.Context, opened backends.Backend, inputs fixtures.Inputs,
	names []string) (*backends.Run, error) {
	b := opened.(*Backend)
	return b.run(ctx, inputs, func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
		outputs, err := b.iterate(ctx, inputs)
		if err != nil {
			return outputs, err
		}
		inside, err := b.inside(ctx, inputs)
		if err != nil {
			return nil, err
		}
		entries := all(outputs)
		for name, t := range inside.All() {
			if _, twice := outputs.Get(name); !twice && slices.Contains(names, name) {
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
		}
		return tensor.NewSet(entries...)
	})
}
