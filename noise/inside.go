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

// Inside returns a function for locate.Options.Measure, which package locate calls with models
// whose inner tensors are outputs too, or with parts of a model. Like [Measure], the function
// measures the noise of every output of the reference's model. It measures in the given engine or,
// if measuring is nil, in ONNX Runtime. It returns a rule that judges one output of the engine
// under test at a time, and a description of the measurement. The rule returns an error for an
// output whose shape changes between runs, or whose noise is as large as the spread of its values.
func Inside(bars compare.Bars, measuring backends.Engine) func(ctx context.Context,
	reference backends.Subject, under backends.Engine) (
	func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
	return func(ctx context.Context, reference backends.Subject, under backends.Engine) (
		func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
		m, err := newMeter(ctx, reference, measuring)
		if err != nil {
			return nil, "", fmt.Errorf("noise: %w", err)
		}
		defer m.forget()
		noise, outputs, err := m.inside(ctx)
		if err != nil {
			return nil, "", fmt.Errorf("noise: %w", err)
		}
		noise.Sequential = Sequential(noise, under, reference.Engine)
		of := append([]string{fmt.Sprintf("noise of %d runs in %v", noise.Runs, m.engine)},
			noise.Limits()...)
		return ruleOf(noise, outputs, bars), strings.Join(of, "; "), nil
	}
}

// insideRuns is the number of runs of a model whose inner tensors are outputs too. For other
// models, [Measure] adds runs until all limits are tight. In some inner tensors, all elements
// change together, so each run yields only one sample. Adding runs until the limits of such
// tensors are tight would take too much memory, because every run keeps every tensor.
const insideRuns = 16

// inside measures the noise. It omits outputs that cannot be measured.
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

// ruleOf returns a rule for single outputs that judges like [compare.WithinNoise]. The probability
// of a false alarm is distributed equally over all measured outputs.
func ruleOf(noise *compare.Noise, outputs []*tensor.Set, bars compare.Bars) func(actual,
	expected []*tensor.Set) (compare.Report, error) {
	count, without := 0, map[string]error{}
	for i, list := range noise.Outputs {
		count += len(list)
		for k := range list {
			if err := drowned(&list[k], outputs[i]); err != nil {
				without[list[k].Name] = fmt.Errorf("rounding alone changes the tensor by %w", err)
			}
		}
	}
	bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm) / float64(max(1, count))
	return func(actual, expected []*tensor.Set) (report compare.Report, err error) {
		for i := range actual {
			name := actual[i].Names()[0]
			if err := without[name]; err != nil {
				return report, err
			}
			one, err := noise.Slice(i, name, -1, 0)
			if err != nil {
				return report, errors.New("the tensor's shape depends on rounding: cannot measure its noise")
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

// exact returns zero as the noise of every output, for a model in which no node rounds.
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

// steady removes the outputs whose shape or type differs between the runs.
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
