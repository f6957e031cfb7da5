package matchers

import (
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
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
	return formatMatcher(&comparer{constructor: "NoWorseThan", format: &format})
}

// judgeFormat runs the expected run's model with all values rounded to the format and compares the
// errors.
func (m *comparer) judgeFormat(c *comparison) (err error) {
	j := m.insideFormat()
	j.Options = m.under.options
	c.report, err = j.Compare(c.actual.run, c.expected.run, c.actual.sets, c.expected.sets)
	if err == nil {
		c.rounded = j.Notes[0]
	}
	return err
}

// insideFormat returns the judge that measures tolerances for tensors inside the models.
func (m *comparer) insideFormat() *precision.Judge {
	return &precision.Judge{Format: *m.format, Engine: m.engine,
		Bars: m.bars()}
}

// holdFormat returns a function that compares one frame of two streams. The function allows the
// rounding errors of m.format. It measures these errors on its first call.
func (m *comparer) holdFormat(actual, expected *backends.Run) decode.Hold {
	measured := sync.OnceValues(func() (func(a, e []*tensor.Set) (compare.Report, error), error) {
		ctx, err := backends.ContextOf(expected, actual)
		if err != nil {
			return nil, err
		}
		rule, _, err := m.insideFormat().Measure(ctx, expected.Subject(), actual.Subject().Engine)
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
