package precision

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// rank measures each quantizer's effect by running the model with only that quantizer active.
func (q *quantized) rank(ctx context.Context) error {
	all, engine := q.Quantization.Quantizers, q.opened.engine
	if q.Quantization.Format != INT4 {
		engine = lowest(engine) // otherwise quantizers would be fused with compute nodes
	}
	exact, err := q.ranking(ctx, engine, all)
	if err != nil {
		return err
	}
	for j := range all {
		one := &all[j]
		outputs, err := q.ranking(ctx, engine, slices.Concat(all[:j], all[j+1:]), q.marks(one)...)
		if err != nil {
			return err
		}
		if one.Error, err = relative(q.names, outputs, exact); err != nil {
			return err
		}
		if q.Quantization.Format != INT4 {
			if err := one.measure(outputs, q.inputs); err != nil {
				return err
			}
		}
		if q.Progress != nil {
			q.Progress(fmt.Sprintf("measured quantizer %d of %d", j+1, len(all)))
		}
	}
	slices.SortStableFunc(all, func(a, b Quantizer) int {
		return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(a.SNR, b.SNR))
	})
	return nil
}

// ranking runs the model without the given quantizers, on the few iterations that are used for
// ranking. It returns the outputs, including the inner tensors named in marks, which it exposes as
// outputs.
func (q *quantized) ranking(ctx context.Context, engine backends.Engine, without []Quantizer,
	marks ...string) ([]*tensor.Set, error) {
	model, err := q.without(without)
	if err == nil {
		model, err = model.Mark(marks...)
	}
	if err != nil {
		return nil, err
	}
	q.Runs++
	run, err := backends.RunIn(ctx, engine, model,
		fixtures.Of(q.inputs[:min(ranked, len(q.inputs))]...))
	return run.Outputs(), err
}

// marks names the inner tensors that [Quantizer.measure] needs: the rounded tensor and, unless it
// is a constant or an input, the original.
func (q *quantized) marks(one *Quantizer) []string {
	if q.Quantization.Format == INT4 {
		return nil
	}
	_, input := q.inputs[0].Get(one.Tensor)
	if one.Constant || input {
		return one.gives[:1]
	}
	return []string{one.gives[0], one.Tensor}
}

// measure sets the quantizer's signal-to-noise ratio from a run's outputs and inputs.
func (q *Quantizer) measure(outputs, inputs []*tensor.Set) error {
	signal, noise := 0.0, 0.0
	for i, set := range outputs {
		rounded, _ := set.Get(q.gives[0])
		exact, ok := set.Get(q.Tensor)
		if !ok {
			exact, ok = inputs[i].Get(q.Tensor)
		}
		if !ok {
			exact = q.weight
		}
		if exact == nil || rounded == nil {
			return fmt.Errorf("the engine did not return the output of quantizer %q", q.Node)
		}
		s, n := powers(rounded, exact)
		signal, noise = signal+s, noise+n
	}
	q.SNR = decibels(signal, noise)
	return nil
}
