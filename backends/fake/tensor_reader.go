package fake

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// RunWithTensors is Run, but each iteration also contains the named tensors, after the outputs.
// [Inside] sets the tensors.
func (b *Backend) RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (
	*backends.Run, error) {
	return b.run(ctx, inputs, func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
		outputs, err := b.iterate(ctx, inputs)
		if err != nil || b.inside == nil {
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
