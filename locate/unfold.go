package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// unfold narrows a faulty stretch of nodes down to the faulty node if one side has folded the
// stretch into a single node. For example, that side may have folded a Conv and a
// BatchNormalization into a Conv, or a MatMul and an Add into a Gemm. The tensor in between is
// missing there, so unfold compares the weights instead. It returns the fault unchanged if it does
// not find the node.
func unfold(ctx context.Context, w *runner, j *judged, f *Fault) (*Fault, error) {
	if f == nil || !f.Healed || len(f.To) != 1 || len(f.Nodes) < 2 || j.pairs.matched.coarse() {
		return f, nil
	}
	ours := map[string]bool{}
	for i := range j.tensors {
		ours[j.tensors[i].Tensor] = true
	}
	to := f.To[0]
	own := j.pairs.called(to)
	actual := j.pairs.matched.actual.Chain(to, ours,
		w.constants(ctx, w.actual, j.pairs.views.actual))
	expected := j.pairs.matched.expected.Chain(own, j.pairs.theirTensors(),
		w.constants(ctx, w.expected, j.pairs.views.expected))
	if ctx.Err() != nil {
		return f, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if actual == nil || expected == nil ||
		j.pairs.called(actual.Source) != expected.Source {
		return f, nil // the connections may be wrong instead
	}
	node, why, ok := actual.Guilty(expected)
	at := slices.IndexFunc(f.Nodes, func(n NodeName) bool { return n.Index == node })
	if !ok || at < 0 {
		return f, nil
	}
	one := *f
	one.Nodes, one.Why = f.Nodes[at:at+1], why
	return &one, nil
}

// constants returns a function that reads a side's constants, which are initializers or tensors
// computed from initializers.
func (w *runner) constants(ctx context.Context, s *side, v view) pairing.Constants {
	return func(name string) *tensor.Tensor {
		if t, err := s.model.Weight(name); err == nil {
			return t
		}
		sets, err := w.gives(ctx, s, v, []string{name})
		if err != nil || len(sets) == 0 {
			return nil
		}
		t, _ := sets[0].Get(name)
		return t
	}
}
