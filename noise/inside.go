package noise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Inside returns a function that measures the noise of every output of the reference's model,
// usually one with marked tensors or a part, as [Measure] does, in engine unless that is nil. The
// function returns a rule for single outputs of the engine under test, and how the noise was
// measured. The rule returns an error for an output that changes its shape, or whose noise is as
// large as the spread of its values. locate.Options.Measure takes the function.
func Inside(bars compare.NoiseBars, engine backends.Engine) func(ctx context.Context,
	reference backends.Subject, under backends.Engine) (
	func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
	return func(ctx context.Context, reference backends.Subject, under backends.Engine) (
		func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
		m, err := newMeter(ctx, reference, engine)
		if err != nil {
			return nil, "", fmt.Errorf("noise: %w", err)
		}
		defer m.forget()
		noise, outputs, err := m.inside(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("noise: %w", err)
		}
		noise.Sequential = sequential(under) ||
			reference.Engine != nil && sequential(reference.Engine)
		of := append([]string{fmt.Sprintf("noise of %d runs in %v", noise.Runs, m.engine)},
			noise.Limits()...)
		return ruleOf(noise, outputs, bars), strings.Join(of, "; "), nil
	}
}

// insideRuns is how many runs are made of a model with marked tensors. Some tensor always moves as
// one, so the bars would ask for the most runs, which hold every tensor of the model.
const insideRuns = 16

// inside measures the noise, leaving out what cannot be measured.
func (m *meter) inside(ctx context.Context) (*compare.Noise, []*tensor.Set, error) {
	if m.wide() {
		if err := Float32(ctx, m.engine); err != nil {
			return nil, nil, err
		}
	}
	noise, outputs, err := m.measure(ctx, settingsOf{runs: insideRuns, seed: 1, inside: true})
	if errors.Is(err, ErrExact) {
		return m.exact(ctx)
	}
	return noise, outputs, err
}

// ruleOf judges single outputs as [compare.WithinNoise] judges all of them, with an equal share of
// the probability of false alarm for each that was measured.
func ruleOf(noise *compare.Noise, outputs []*tensor.Set, bars compare.NoiseBars) func(actual,
	expected []*tensor.Set) (compare.Report, error) {
	count, without := 0, map[string]error{}
	for _, list := range noise.Outputs {
		count += len(list)
	}
	bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm) / float64(max(1, count))
	for name, err := range drowned(noise, outputs) {
		without[name] = fmt.Errorf("rounding alone moves it by %w", err)
	}
	return func(actual, expected []*tensor.Set) (report compare.Report, err error) {
		for i := range actual {
			name := actual[i].Names()[0]
			if err := without[name]; err != nil {
				return report, err
			}
			one, err := noise.Slice(i, name, -1, 0)
			if err != nil {
				return report, errors.New("rounding changes its shape, so it has no noise")
			}
			report, err = compare.WithinNoise(actual[i:i+1], expected[i:i+1], one, bars,
				compare.Options{AllowEmpty: true, AnyElementType: true})
			if err != nil || report.Verdict == compare.Fail {
				return report, err
			}
		}
		return report, nil
	}
}

// exact is the noise of a model of which no node rounds: none.
func (m *meter) exact(ctx context.Context) (*compare.Noise, []*tensor.Set, error) {
	run, err := backends.RunIn(ctx, m.engine, m.model, fixtures.Of(m.inputs...))
	if err != nil {
		return nil, nil, err
	}
	runs := make([][]*tensor.Set, firstRuns)
	for i := range runs {
		runs[i] = run.Outputs()
	}
	noise, err := compare.NoiseOf(runs, 0, nil)
	if err == nil {
		noise.Reordered = true
	}
	return noise, run.Outputs(), err
}

// steady returns the runs without the outputs that change their shape or type between runs.
func steady(runs [][]*tensor.Set) [][]*tensor.Set {
	list := make([][]*tensor.Set, len(runs))
	for i, first := range runs[0] {
		var names []string
		for _, v := range first.Values() {
			t, err := v.Stack()
			same := err == nil
			for _, run := range runs {
				other, ok := run[i].Value(v.Name)
				if same = same && ok; !same {
					break
				}
				stack, err := other.Stack()
				same = err == nil && stack.ElementType() == t.ElementType() &&
					stack.Shape().Equal(t.Shape())
			}
			if same {
				names = append(names, v.Name)
			}
		}
		for k, run := range runs {
			list[k] = append(list[k], run[i].Only(names...))
		}
	}
	return list
}
