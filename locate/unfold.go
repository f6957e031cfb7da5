package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// unfold finds the faulty node of a stretch that one side has folded into one node, for example a
// Conv and a BatchNormalization into a Conv. The folded side has no tensor in between, but the
// folded weights can be compared.
func (w *blaming) unfold(ctx context.Context) error {
	f := w.found.Fault
	if f == nil || !f.Healed || len(f.To) != 1 || len(f.Nodes) < 2 || w.pairs.matched.coarse() {
		return nil
	}
	ours := map[string]bool{}
	for i := range w.found.Tensors {
		ours[w.found.Tensors[i].Tensor] = true
	}
	to := f.To[0]
	own := w.pairs.called(to)
	actual := w.pairs.matched.actual.Chain(to, ours, constants(ctx, w.runs.actual.model.Weight,
		func(ctx context.Context, name string) ([]*tensor.Set, error) {
			return w.runs.gives(ctx, w.runs.actual, []string{name})
		}))
	expected := w.pairs.matched.expected.Chain(own, w.pairs.theirTensors(), constants(ctx,
		w.runs.expected.model.Weight, func(ctx context.Context, name string) ([]*tensor.Set, error) {
			return w.runs.named(ctx, []string{name})
		}))
	if ctx.Err() != nil {
		return fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if actual == nil || expected == nil ||
		w.pairs.called(actual.Source) != expected.Source {
		return nil // the connections may be wrong instead
	}
	node, why, ok := actual.Guilty(expected)
	at := slices.IndexFunc(f.Nodes, func(n NodeName) bool { return n.Index == node })
	if ok && at >= 0 {
		f.Nodes, f.Why = f.Nodes[at:at+1], why
	}
	return nil
}

// constants returns a function that reads a node's constant inputs: initializers, or values
// computed from initializers.
func constants(ctx context.Context, weight func(string) (*tensor.Tensor, error),
	gives func(context.Context, string) ([]*tensor.Set, error)) pairing.Constants {
	return func(name string) *tensor.Tensor {
		if t, err := weight(name); err == nil {
			return t
		}
		sets, err := gives(ctx, name)
		if err != nil || len(sets) == 0 {
			return nil
		}
		t, _ := sets[0].Get(name)
		return t
	}
}
