package matchers

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
)

// byNoise is what [MatchWithinNoise] judges by, in place of checks.
type byNoise struct {
	bars   compare.NoiseBars
	engine backends.Engine // to measure in; nil for the runs' own
}

// FalseAlarm sets the probability with which a correct engine may fail this comparison, instead of
// compare.DefaultFalseAlarm. A greater one lets the matcher see smaller faults. It belongs to
// [MatchWithinNoise] and [NoWorseThan]; elsewhere it is an error.
func (m *OutputsMatcher) FalseAlarm(probability float64) *OutputsMatcher {
	if m.lower != nil {
		return m.byPrecision("FalseAlarm", func(p *byPrecision) { p.bars.FalseAlarm = probability })
	}
	return m.byNoise("FalseAlarm", func(n *byNoise) { n.bars.FalseAlarm = probability })
}

// MeasuredIn names the engine that noise is measured in, or that the rounded model runs in: one
// that is known to be right and computes in float32. It belongs to [MatchWithinNoise] and
// [NoWorseThan]; elsewhere it is an error.
//
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchWithinNoise().MeasuredIn(ort.Engine()).OfGolden("resnet18"))
func (m *OutputsMatcher) MeasuredIn(engine backends.Engine) *OutputsMatcher {
	if m.lower != nil {
		return m.byPrecision("MeasuredIn", func(p *byPrecision) { p.engine = engine })
	}
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
	return nil
}

// rounded is the norm-wise relative error that a node alone may have by rounding.
const rounded = 16 * 0x1p-24

// inside is the rule for the tensors inside the models: norm-wise, what noise allows the output
// that is the furthest off. The noise of inner tensors was not measured.
func (n *byNoise) inside(report compare.Report, o compare.Options) (
	compare.Options, string, error) {
	worst, limit := 0.0, 0.0
	o.Only, o.Except = nil, nil
	probe := o
	probe.Checks = []compare.Check{compare.NormRelative(math.MaxFloat64)}
	for _, out := range report.Outputs {
		if out.Verdict != compare.Fail || out.Actual == nil || len(out.Results) == 0 {
			continue
		}
		norm, err := compare.Tensors(out.Actual, out.Expected, probe)
		if err != nil || len(norm.Results) == 0 {
			continue // strings, or nothing to relate an error to
		}
		off, allowed := norm.Results[0].Value, 0.0
		if times := out.Results[0].Value; times >= 1 {
			allowed = off / times
		}
		if off-off != 0 { // not finite here or there
			off = math.MaxFloat64
		}
		if off > worst {
			worst, limit, o.Only = off, max(allowed, rounded), []string{out.Name}
		}
	}
	if !(limit < worst) {
		return o, "", fmt.Errorf("the outputs differ by %.2g of their norm, too little to tell from "+
			"rounding inside", worst)
	}
	o.Checks = []compare.Check{compare.NormRelative(limit)}
	return o, fmt.Sprintf(", within a norm-wise relative error of %.2g, as noise allows %q", limit,
		o.Only[0]), nil
}

// judge finds the noise and compares.
func (n *byNoise) judge(actual, expected side, o compare.Options) (
	compare.Report, *noise.Reference, error) {
	of, err := noise.Between(actual.run, expected.run, n.engine)
	if err != nil {
		return compare.Report{}, nil, err
	}
	report, err := compare.WithinNoise(actual.sets, expected.sets, of.Noise, n.bars, o)
	return report, of, err
}

// judgeOld holds the actual run to an old golden file by the noise that the file keeps. One that
// keeps none is an error.
func (n *byNoise) judgeOld(actual side, old *backends.Run, o compare.Options) (
	compare.Report, error) {
	of, err := noise.Between(nil, old, n.engine) // measures nothing: nobody can run a file
	if err == nil && !of.Kept {
		err = errors.New("the golden file keeps no noise")
	}
	if err != nil {
		return compare.Report{}, err
	}
	return compare.WithinNoise(actual.sets, old.Outputs(), of.Noise, n.bars, o)
}

// String is the rule in words.
func (n *byNoise) String() string {
	p := n.bars.FalseAlarm
	if p == 0 {
		p = compare.DefaultFalseAlarm
	}
	return fmt.Sprintf("what rounding explains, with a false alarm once in %.0f", 1/p)
}
