package matchers

import (
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// NoWorseThan succeeds if the errors of a lower-precision engine are no larger than the errors that
// its number format alone causes in the same network. To measure the format's errors, it repeats
// the expected run in the same engine, but with all values rounded to the format. The expected
// run's engine must compute in float32. See compare.NoWorseThan for the exact rule, and package
// precision for the rounding.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		NoWorseThan(precision.FP16).Of(ort.Run(ctx, model, inputs)))
//
// More inputs let the matcher detect smaller faults; fixtures.Random(model,
// fixtures.Iterations(10)) makes ten. FalseAlarm sets the probability that an engine fails although
// it is no worse than its format.
//
// An expected run that was read from a file has no engine, so MeasuredIn must name one. NoWorseThan
// never writes the expected file.
func NoWorseThan(format precision.Format) *FormatMatcher {
	return formatMatcher(&comparer{constructor: "NoWorseThan", lower: &byPrecision{format: format}})
}

// byPrecision is the rule of [NoWorseThan], which compares a run's errors with the errors of a
// number format.
type byPrecision struct {
	format precision.Format
	bars   compare.PrecisionBars
	engine backends.Engine // runs the rounded model; nil means the expected run's engine
}

// judge runs the expected run's model with all values rounded to the format and compares the
// errors. It also returns a note that says where the format's errors come from.
func (p *byPrecision) judge(actual, expected side, o compare.Options) (compare.Report, string,
	error) {
	j := p.inside()
	j.Options = o
	report, err := j.Compare(actual.run, expected.run, actual.sets, expected.sets)
	if err != nil {
		return report, "", err
	}
	return report, j.Notes[0], nil
}

// inside returns the judge that compares outputs. The judge can also measure tolerances for tensors
// inside the models.
func (p *byPrecision) inside() *precision.Judge {
	return &precision.Judge{Format: p.format, Bars: p.bars, Engine: p.engine}
}

// hold returns the rule for single frames of a stream. The rule measures the errors of rounding to
// p.format when it is first called.
func (p *byPrecision) hold(actual, expected *backends.Run) decode.Hold {
	measured := sync.OnceValues(func() (func(a, e []*tensor.Set) (compare.Report, error), error) {
		ctx, err := backends.ContextOf(expected, actual)
		if err != nil {
			return nil, err
		}
		rule, _, err := p.inside().Measure(ctx, expected.Subject(), actual.Subject().Engine)
		return rule, err
	})
	return func(at decode.Slice, a, e *tensor.Tensor) (string, error) {
		if at.Axis >= 0 {
			return "", errToken
		}
		rule, err := measured()
		if err != nil {
			return "", err
		}
		var sides [2][]*tensor.Set
		for i, t := range []*tensor.Tensor{a, e} {
			frame, err := tensor.NewSet(tensor.Entry{Name: at.Output, Tensor: t})
			if err != nil {
				return "", err
			}
			sides[i] = append(make([]*tensor.Set, at.Iteration), frame)
		}
		report, err := rule(sides[0], sides[1])
		if err != nil || report.Verdict == compare.Pass {
			return "", err
		}
		return report.Outputs[0].Reason, nil
	}
}

// String returns the rule in words, which follow "within".
func (p *byPrecision) String() string {
	return fmt.Sprintf("the errors of rounding to %s, with %s",
		p.format, figures.FalseAlarm(p.bars.FalseAlarm))
}
