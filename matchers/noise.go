package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
)

// byNoise is what [MatchWithinNoise] judges by, in place of checks.
type byNoise struct {
	bars   compare.NoiseBars
	engine backends.Engine // to measure in; nil for the runs' own
}

// measured is the noise of a comparison, and the run that it was measured on.
type measured struct {
	noise *compare.Noise
	of    *backends.Run
}

// FalseAlarm sets the probability with which a correct engine may fail this comparison, instead of
// compare.DefaultFalseAlarm. A greater one lets the matcher see smaller faults. It belongs to
// [MatchWithinNoise]; elsewhere it is an error.
func (m *OutputsMatcher) FalseAlarm(probability float64) *OutputsMatcher {
	return m.byNoise("FalseAlarm", func(n *byNoise) { n.bars.FalseAlarm = probability })
}

// MeasuredIn names the engine that noise is measured in: one that is known to be right and computes
// in the precision that is claimed. It belongs to [MatchWithinNoise]; elsewhere it is an error.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchWithinNoise().MeasuredIn(ort.Engine()).OfGolden("resnet18"))
func (m *OutputsMatcher) MeasuredIn(engine backends.Engine) *OutputsMatcher {
	return m.byNoise("MeasuredIn", func(n *byNoise) { n.engine = engine })
}

// WithoutNoise says that the expected side has no rounding errors of its own, such as an oracle in
// float64; the bars are √2 times lower. It belongs to [MatchWithinNoise]; elsewhere it is an error.
func (m *OutputsMatcher) WithoutNoise() *OutputsMatcher {
	return m.byNoise("WithoutNoise", func(n *byNoise) { n.bars.Exact = true })
}

func (m *OutputsMatcher) byNoise(method string, change func(*byNoise)) *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) {
		if c.noise == nil {
			c.wrong(fmt.Errorf("%s belongs to MatchWithinNoise, and this matcher has tolerances", method))
			return
		}
		own := *c.noise
		change(&own)
		c.noise = &own
	})
}

// unusable says what is wrong with the rest of the chain.
func (n *byNoise) unusable(m *OutputsMatcher) error {
	if len(m.all.checks())+len(m.outputs) > 0 {
		return errors.New("noise takes the place of tolerances: leave out Within, With and ForOutput, " +
			"or use MatchOutputsWithin")
	}
	if m.locating {
		return errors.New("Locating needs a tolerance for the tensors inside the model: use it with " +
			"MatchOutputsWithin")
	}
	return nil
}

// judge measures the noise and compares.
func (n *byNoise) judge(actual, expected side, o compare.Options) (
	compare.Report, measured, error) {
	var of measured
	var err error
	if of.of, err = n.reference(actual, expected); err != nil {
		return compare.Report{}, of, err
	}
	if of.noise, err = noise.Of(of.of); err != nil {
		return compare.Report{}, of, err
	}
	report, err := compare.WithinNoise(actual.sets, expected.sets, of.noise, n.bars, o)
	return report, of, err
}

// reference is the run to measure.
func (n *byNoise) reference(actual, expected side) (*backends.Run, error) {
	for _, s := range []side{expected, actual} {
		if s.run == nil || s.run.Subject().Repeatable() != nil {
			continue
		}
		subject := s.run.Subject()
		if n.engine == nil || n.engine == subject.Engine {
			return s.run, nil
		}
		run, err := backends.RunIn(subject.Context(), n.engine, subject.Model, subject.Inputs)
		if err != nil {
			return nil, fmt.Errorf("the noise is measured in %v: %w", n.engine, err)
		}
		return run, nil
	}
	return nil, errors.New("neither side is a run of an engine, so no noise can be measured: give " +
		"the matcher a run, or use MatchOutputsWithin")
}

// message says what the noise was measured in, and what the comparison would have caught.
func (n *byNoise) message(of measured) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the noise is of %d runs in %v; sums of up to %d addends widen it by %.2g",
		of.noise.Runs, of.of.Subject().Engine, of.noise.Addends, of.noise.Sums())
	planted, err := noise.Power(of.of.Subject().Context(), of.of.Subject(), of.noise, n.bars)
	switch {
	case err != nil:
		fmt.Fprintf(&b, "\nits power could not be found: %v", err)
	case len(planted) == 0:
		b.WriteString("\nits power could not be found: the model multiplies with no weights")
	default:
		b.WriteString("\nit is sure to catch a change of")
		for _, p := range planted {
			b.WriteString("\n    " + p.String())
		}
	}
	return b.String()
}

// String is the rule in words.
func (n *byNoise) String() string {
	p := n.bars.FalseAlarm
	if p == 0 {
		p = compare.DefaultFalseAlarm
	}
	return fmt.Sprintf("what rounding explains, with a false alarm once in %.4g", 1/p)
}
