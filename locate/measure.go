package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// bars are the measured rules for tensors, by their names on the actual side.
type bars map[string]compare.Judge

// measured measures what the outputs of a model of the expected side may differ by, of which some
// are tensors inside.
func (w *runner) measured(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	tensors int) (compare.Judge, string, error) {
	subject := w.expected.Subject
	subject.Model, subject.Inputs, subject.InputsSHA256 = model, inputs, ""
	ctx, stop := w.watch(ctx, tensors)
	defer stop()
	rule, how, err := w.options.Measure(ctx, subject, w.actual.Engine)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return nil, "", fmt.Errorf("the reference cannot measure it: %w", err)
	}
	return rule, how, nil
}

// measureMarked measures what the tensors may differ by within the whole model. All of them are
// outputs of one model and come from the same runs.
func (j *judged) measureMarked(ctx context.Context, w *runner, names []string) error {
	if w.options.Measure == nil {
		return nil
	}
	v := j.pairs.views.expected
	inner := slices.DeleteFunc(slices.Clone(v.names.own(names)), v.isInput)
	model, err := w.expected.model.Mark(inner...)
	if err != nil {
		return err
	}
	rule, _, err := w.measured(ctx, model, w.expected.inputs, len(names))
	if err != nil {
		return err
	}
	for _, name := range names {
		if own := v.names.called(name); !v.isInput(own) {
			j.whole[name] = under(own, rule)
		}
	}
	return nil
}

// measureAlone measures what the nodes that make the tensors may differ by if they run alone, on
// the expected values of the tensors in given. They are the expected side's nodes, because a wrong
// node has the noise of another one.
func (j *judged) measureAlone(ctx context.Context, w *runner, expected []*tensor.Set, given,
	names []string) error {
	if w.options.Measure == nil {
		return nil
	}
	v := j.pairs.views.expected
	var feed []fed
	for _, name := range given {
		own := v.names.called(name)
		if v.isInput(own) || slices.ContainsFunc(feed, func(f fed) bool { return f.name == own }) {
			continue
		}
		f := fed{own, slices.Clone(all(expected, name))}
		if q := v.quantization(own); q != nil {
			for i, t := range f.values {
				var err error
				if f.values[i], err = q.Integers(t); err != nil {
					return err
				}
			}
		}
		feed = append(feed, f)
	}
	part, inputs, err := cut(w.expected.model, w.theirs, feed,
		untyped(slices.DeleteFunc(slices.Clone(v.names.own(names)), v.isInput)))
	if err != nil {
		return err
	}
	rule, _, err := w.measured(ctx, part, inputs, len(names))
	if err != nil {
		return err
	}
	for _, name := range names {
		own := v.names.called(name)
		if v.isInput(own) {
			continue
		}
		if slices.ContainsFunc(feed, func(f fed) bool { return f.name == own }) {
			own += loaders.CutSuffix
		}
		j.alone[name] = under(own, rule)
	}
	return nil
}

// under returns the rule for a tensor that was measured under another name.
func under(name string, rule compare.Judge) compare.Judge {
	return func(_ string, actual, expected []*tensor.Tensor) (compare.Verdict, string, error) {
		return rule(name, actual, expected)
	}
}
