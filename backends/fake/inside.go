package fake

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ backends.TensorReader = (*Backend)(nil)

// Inside is the tensors that [Backend.RunWithTensors] can show; a fake without has none.
func Inside(infer backends.Infer) Option { return Option{func(b *Backend) { b.inside = infer }} }

// RunWithTensors is Run, with those of the named tensors that [Inside] gives after the outputs.
func (b *Backend) RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (
	*backends.Run, error) {
	b.runs.Add(1)
	if b.closed.Load() {
		return nil, fmt.Errorf("%s: %w", b.name, backends.ErrClosed)
	}
	return backends.Collect(ctx, backends.Provenance{Backend: b.name}, backends.Subject{}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			outputs, err := b.iterate(ctx, inputs)
			if err != nil || b.inside == nil {
				return outputs, err
			}
			inside, err := b.inside(ctx, inputs)
			if err != nil {
				return nil, err
			}
			var entries []tensor.Entry
			for name, t := range outputs.All() {
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
			for name, t := range inside.All() {
				if _, twice := outputs.Get(name); !twice && slices.Contains(names, name) {
					entries = append(entries, tensor.Entry{Name: name, Tensor: t})
				}
			}
			return tensor.NewSet(entries...)
		})
}
