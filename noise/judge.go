package noise

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Judge judges tensors inside models by the noise that they have in the reference.
type Judge struct {
	Bars   compare.NoiseBars
	Engine backends.Engine // see [In]
}

// Measure measures the noise of every output of the reference's model, usually one with marked
// tensors or a part, as [Measure] does. It returns the rule for the outputs of the engine under
// test, and how the noise was measured. The rule returns an error for an output that changes its
// shape, or whose noise is as large as the spread of its values. locate.Options takes this method.
func (j Judge) Measure(ctx context.Context, reference backends.Subject, under backends.Engine) (
	compare.Judge, string, error) {
	m, err := newMeter(ctx, reference, j.Engine)
	if err != nil {
		return nil, "", fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	if m.wide() {
		if err := Float32(ctx, m.engine); err != nil {
			return nil, "", fmt.Errorf("noise: %w", err)
		}
	}
	noise, outputs, err := m.measure(ctx, settingsOf{seed: 1, engine: j.Engine, inside: true})
	if errors.Is(err, errExact) {
		noise, outputs, err = m.exact(ctx)
	}
	if err != nil {
		return nil, "", fmt.Errorf("noise: %w", err)
	}
	noise.Sequential = sequential(under) ||
		reference.Engine != nil && sequential(reference.Engine)
	rule, err := noise.Judge(j.Bars)
	if err != nil {
		return nil, "", err
	}
	without := map[string]error{}
	for name, err := range drowned(noise, outputs) {
		without[name] = fmt.Errorf("rounding alone moves it by %w", err)
	}
	of := append([]string{fmt.Sprintf("noise of %d runs in %v", noise.Runs, m.engine)},
		noise.Limits()...)
	return func(name string, actual, expected []*tensor.Tensor) (compare.Verdict, string, error) {
		if err := without[name]; err != nil {
			return "", "", err
		}
		return rule(name, actual, expected)
	}, strings.Join(of, "; "), nil
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
