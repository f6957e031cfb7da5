package matchers

import (
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
// written.
func NoWorseThan(format precision.Format) *FormatMatcher {
	return formatMatcher(&comparer{constructor: "NoWorseThan", lower: &byPrecision{format: format}})
}

// byPrecision is what [NoWorseThan] judges by, in place of checks.
type byPrecision struct {
	format precision.Format
	bars   compare.PrecisionBars
	engine backends.Engine // that the rounded model runs in; nil for the reference's own
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
