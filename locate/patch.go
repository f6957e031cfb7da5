package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// patched runs the actual side with the given tensors replaced by the expected side's values. It
// returns the resulting outputs and the expected side's outputs.
func (w *blaming) patched(ctx context.Context, given []string) (got, want []*tensor.Set,
	err error) {
	outputs, err := w.runs.actual.model.Outputs()
	if err != nil {
		return nil, nil, err
	}
	names := valueNames(outputs)
	want, err = w.runs.markedExpected(ctx, slices.Concat(given, names))
	if err != nil {
		return nil, nil, err
	}
	feed, err := w.pairs.feed(want, given)
	if err != nil {
		return nil, nil, err
	}
	var computed []loaders.Value
	for _, v := range outputs {
		if !slices.Contains(given, v.Name) {
			computed = append(computed, v)
		}
	}
	if len(computed) == 0 {
		return only(want, given), want, nil
	}
	if got, err = w.runs.runPart(ctx, feed, computed); err != nil {
		return nil, nil, err
	}
	return join(got, only(want, given)), want, nil
}

// An output is healed if it is within tolerance, or if its error fell to the fraction healed or
// below. It is still ill if more than the fraction ill of its error remains.
const (
	healed = 0.2
	ill    = 0.5
)

// heals returns how much of the error remains in the actual side's outputs after replacing the
// given tensors by the expected side's values: the largest remaining fraction over all outputs.
func (w *blaming) heals(ctx context.Context, given []string) (left float64, err error) {
	got, want, err := w.patched(ctx, given)
	if err != nil {
		return 0, err
	}
	outputs, err := w.runs.actual.model.Outputs()
	if err != nil {
		return 0, err
	}
	for _, v := range outputs {
		row, shown := w.pairs.row[v.Name]
		if !shown || w.found.Tensors[row].Verdict != compare.Fail {
			continue
		}
		a, e := all(got, v.Name), all(want, v.Name)
		if a == nil || e == nil {
			continue
		}
		m, err := w.judge.measure(a, e)
		if err != nil {
			return 0, err
		}
		if m.verdict == compare.Pass {
			continue
		}
		before := float64(w.found.Tensors[row].Error)
		share := float64(m.err) / before
		if !(share >= 0) { // NaN before or after patching
			share = 1
		}
		left = max(left, share)
	}
	return left, nil
}
