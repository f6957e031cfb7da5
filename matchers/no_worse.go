package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/precision"
)

// NoWorseThan succeeds where an engine of lower precision errs no more than its number format does
// by itself on the same network. It runs the model of the reference with everything rounded in that
// format, in the reference's engine, which must compute in float32, and holds the errors of both
// against each other. See compare.NoWorseThan for the gate, and package precision for the rounding.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		NoWorseThan(precision.FP16).Of(ort.Run(ctx, model, inputs)))
//
// The more inputs, the sharper: the gate that AWS publishes is for 10, as
// fixtures.Random(model, fixtures.Iterations(10)) makes them. AsPublished lets that gate decide.
// FalseAlarm sets the probability with which an engine that is no worse may fail.
//
// A reference that was read from a file has no engine, so MeasuredIn must name one. It is never
// written. Tolerances beside it are an error.
func NoWorseThan(format precision.Format) *OutputsMatcher {
	return &OutputsMatcher{constructor: "NoWorseThan", lower: &byPrecision{format: format}}
}

// byPrecision is what [NoWorseThan] judges by, in place of checks.
type byPrecision struct {
	format precision.Format
	bars   compare.PrecisionBars
	engine backends.Engine // that the rounded model runs in; nil for the reference's own
}

// AsPublished lets the gate decide that AWS publishes, in place of the one that allows for chance.
// It belongs to [NoWorseThan]; elsewhere it is an error. See compare.ThreeWay.
func (m *OutputsMatcher) AsPublished() *OutputsMatcher {
	return m.byPrecision("AsPublished", func(p *byPrecision) { p.bars.Published = true })
}

func (m *OutputsMatcher) byPrecision(method string, change func(*byPrecision)) *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) {
		if c.lower == nil {
			c.wrong(fmt.Errorf("%s belongs to NoWorseThan", method))
			return
		}
		own := *c.lower
		change(&own)
		c.lower = &own
	})
}

// unusable says what is wrong with the rest of the chain.
func (p *byPrecision) unusable(m *OutputsMatcher) error {
	if len(m.all.checks())+len(m.outputs) > 0 {
		return errors.New("the error of the format takes the place of tolerances: leave out Within, " +
			"With and ForOutput, or use MatchOutputsWithin")
	}
	if m.locating {
		return errors.New("Locating needs a tolerance for the tensors inside the model: use it with " +
			"MatchOutputsWithin")
	}
	return nil
}

// judge rounds the reference's model and compares.
func (p *byPrecision) judge(actual, expected side, o compare.Options) (compare.Report, string,
	error) {
	j := precision.Judge{Format: p.format, Bars: p.bars, Options: o, Engine: p.engine}
	report, err := j.Sets(actual.run, expected.run, actual.sets, expected.sets)
	if err != nil {
		return report, "", err
	}
	return report, j.Notes[0], nil
}

// String is the rule in words.
func (p *byPrecision) String() string {
	if p.bars.Published {
		return fmt.Sprintf("what %s explains, by AWS's gate as published", p.format)
	}
	alarm := p.bars.FalseAlarm
	if alarm == 0 {
		alarm = compare.DefaultFalseAlarm
	}
	return fmt.Sprintf("what %s explains, with a false alarm once in %.0f", p.format, 1/alarm)
}
