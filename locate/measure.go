package locate

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// judge decides by a measured tolerance whether the tensors of the two sides agree. It takes one
// tensor per iteration.
type judge func(actual, expected []*tensor.Tensor) (compare.Verdict, string, error)

// bars maps the name of a tensor on the actual side to the measured tolerance for the tensor.
type bars map[string]judge

// measured measures how far the outputs of a model may differ from the expected side's outputs. To
// measure inner tensors, the caller marks them as outputs of the model. It marks only one group of
// [measurable] at a time, because measuring takes much memory. The returned function looks up the
// tolerance for an output.
func (w *runner) measured(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs) (
	of func(name string) judge, how string, err error) {
	subject := w.expected.Subject
	subject.Model, subject.Inputs, subject.InputsSHA256 = model, inputs, ""
	debug.FreeOSMemory() // frees the memory of earlier groups
	rule, how, err := w.options.Measure(ctx, subject, w.actual.Engine)
	if err != nil {
		return nil, "", fmt.Errorf("cannot derive a tolerance from the reference: %w", err)
	}
	return func(name string) judge {
		return func(actual, expected []*tensor.Tensor) (compare.Verdict, string, error) {
			report, err := rule(sets.Single(name, actual...), sets.Single(name, expected...))
			if err != nil || report.Verdict != compare.Fail {
				return report.Verdict, "", err
			}
			for i := range report.Outputs {
				if o := &report.Outputs[i]; o.Verdict == compare.Fail {
					return compare.Fail, o.Reason, nil
				}
			}
			return compare.Fail, report.Reason, nil
		}
	}, how, nil
}

// measuredRuns is roughly how many values of each element are in memory while tolerances are
// measured.
const measuredRuns = 16

// measurable splits tensors of known shapes into groups so small that measuring the tolerances of
// one group takes at most half of the memory budget. It returns a single group if Options.Measure
// is nil.
func measurable(j *judged, w *runner, names []string) (groups [][]string) {
	if w.options.Measure == nil {
		return [][]string{names}
	}
	var group []string
	held := int64(0)
	for _, name := range names {
		n, _ := j.at(name).Shape.Elements() // the shape of a tensor
		one := int64(n * len(w.actual.sets) * measuredRuns * 4)
		if held += one; held > w.options.memory()/2 && len(group) > 0 {
			groups = append(groups, group)
			group, held = nil, one
		}
		group = append(group, name)
	}
	return append(groups, group)
}

// measureMarked measures how far the tensors may differ inside the whole model. All tensors become
// outputs of a single model, so that their tolerances come from the same runs.
func (j *judged) measureMarked(ctx context.Context, w *runner, names []string) error {
	v := j.pairs.views.expected
	inner := slices.DeleteFunc(slices.Clone(v.names.translate(names)), v.isInput)
	model, err := w.expected.model.Mark(inner...)
	if err != nil {
		return err
	}
	rule, _, err := w.measured(ctx, model, w.expected.inputs)
	if err != nil {
		return err
	}
	for _, name := range names {
		if own := v.names.called(name); !v.isInput(own) {
			j.whole[name] = j.asMeasured(name, rule(own))
		}
	}
	return nil
}

// asMeasured returns a judge that reshapes a tensor's values to the shapes that they have on the
// expected side, where the tolerance was measured.
func (j *judged) asMeasured(name string, decide judge) judge {
	if !j.pairs.found[name].Reshaped {
		return decide
	}
	shapes := j.pairs.matched.expected.Sketches[j.pairs.called(name)].Shapes
	return func(actual, expected []*tensor.Tensor) (compare.Verdict, string, error) {
		return decide(shaped(actual, shapes), shaped(expected, shapes))
	}
}

// measureAlone measures, for nodes that run alone, how far rounding may change their results. It
// runs the expected model's nodes on the expected values. It does not run the actual model's nodes,
// because a faulty node computes something different, with different noise.
func (j *judged) measureAlone(ctx context.Context, w *runner, expected []*tensor.Set,
	names []string) error {
	if w.options.Measure == nil || len(names) == 0 {
		return nil
	}
	v := j.pairs.views.expected
	var feed []fed
	for _, name := range given(j, names) {
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
	part, inputs, err := cut(w.expected.model, w.expected.sets, feed,
		untyped(slices.DeleteFunc(slices.Clone(v.names.translate(names)), v.isInput)))
	if err != nil {
		return err
	}
	rule, _, err := w.measured(ctx, part, fixtures.Of(inputs...))
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
		j.alone[name] = j.asMeasured(name, rule(own))
	}
	return nil
}
