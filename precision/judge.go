package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Judge compares runs in lower precision with the error that the format itself causes, and notes
// the basis of each verdict.
type Judge struct {
	Format  Format
	Bars    compare.PrecisionBars
	Options compare.Options // without checks
	// Engine runs the rounded model and must compute in float32. If it is nil, the engine of the
	// expected run is used.
	Engine backends.Engine
	// Otherwise is the engine to use if Engine is nil and the expected run has no engine.
	Otherwise backends.Engine
	// Notes holds one line per comparison.
	Notes []string

	known map[string]*compare.LowerPrecision // keyed by model, inputs and engine
}

// Compare applies compare.NoWorseThan to actualSets and expectedSets. These are the outputs of the
// run actual, in lower precision, and of the run expected, in float32; they may have been changed
// since. Compare rounds the expected run's model and runs it on the expected run's inputs. If
// expected was read from a file and an engine is set, Compare uses the actual run's model and
// inputs instead. One of the runs may be nil. Compare returns the errors of [Of], and an error if
// neither run can be repeated.
func (j *Judge) Compare(actual, expected *backends.Run, actualSets, expectedSets []*tensor.Set) (
	report compare.Report, err error) {
	run, engine, err := j.reference(actual, expected)
	if err == nil && expected != nil {
		err = expected.Provenance.NotFloat32()
	}
	if err != nil {
		return report, fmt.Errorf("precision: %w", err)
	}
	subject := run.Subject()
	subject.Engine = engine
	p := run.Provenance
	key := fmt.Sprint(p.ModelSHA256, p.InputsSHA256, engine.Text())
	lower := j.known[key]
	if lower == nil || p.ModelSHA256 == "" || p.InputsSHA256 == "" {
		ctx, err := backends.ContextOf(run, actual, expected)
		if err != nil {
			return report, fmt.Errorf("precision: %w", err)
		}
		if lower, err = Of(ctx, subject, j.Format); err != nil {
			return report, err
		}
		if j.known == nil {
			j.known = map[string]*compare.LowerPrecision{}
		}
		j.known[key] = lower
	}
	judged := *lower
	if actual != nil && oneByOne(actual.Subject().Engine) {
		judged.Sequential = lower.Addends
	}
	report, err = compare.NoWorseThan(actualSets, expectedSets, &judged, j.Bars, j.Options)
	if err == nil {
		j.Notes = append(j.Notes, fmt.Sprintf("the error of %s was measured in %d runs of %s rounded "+
			"to that format, in %v", j.Format, len(lower.Runs), names.Line(subject.Model.Name()), engine))
	}
	return report, err
}

// oneByOne reports whether the engine is known to add the terms of every sum one after the other.
func oneByOne(engine backends.Engine) bool {
	if engine == nil { // of a run from a file
		return false
	}
	chain := backends.CapabilitiesOf(engine).Chain
	return chain != nil && chain("MatMul") == math.MaxInt
}

// Measure rounds the reference's model to the format and runs it on the reference's inputs, as [Of]
// does. The model usually has marked tensors or is a part of a model. Measure returns a rule that
// judges one output of the engine under test at a time, and a description of the measurement. The
// rule leaves out iterations whose set is nil. For an output that the format does not change, the
// rule allows only a difference in the last few bits. Use it as locate.Options.Measure.
func (j *Judge) Measure(ctx context.Context, reference backends.Subject, under backends.Engine) (
	func(actual, expected []*tensor.Set) (compare.Report, error), string, error) {
	if j.Engine != nil {
		reference.Engine = j.Engine
	}
	lower, err := Of(ctx, reference, j.Format)
	if errors.Is(err, errNothing) {
		lower, err = &compare.LowerPrecision{Runs: make([][]*tensor.Set, runs)}, nil
	}
	if err != nil {
		return nil, "", err
	}
	if oneByOne(under) {
		lower.Sequential = lower.Addends
	}
	bars, options := j.Bars, compare.Options{AllowEmpty: true, AnyElementType: true}
	if len(lower.Float32) > 0 {
		bars.FalseAlarm = cmp.Or(bars.FalseAlarm, figures.DefaultFalseAlarm) /
			float64(max(1, lower.Float32[0].Len()))
	}
	return func(actual, expected []*tensor.Set) (compare.Report, error) {
		own, changes := only(lower, actual)
		isNil := func(s *tensor.Set) bool { return s == nil }
		actual = slices.DeleteFunc(slices.Clone(actual), isNil)
		expected = slices.DeleteFunc(slices.Clone(expected), isNil)
		if changes {
			return compare.NoWorseThan(actual, expected, own, bars, options)
		}
		rule := options
		rule.Checks = []compare.Check{compare.NormRelative(unchangedPlaces * 0x1p-24)}
		return compare.Runs(actual, expected, rule)
	}, fmt.Sprintf("error of %s in %d runs in %v", j.Format, len(lower.Runs), reference.Engine), nil
}

// unchangedPlaces bounds the norm-wise difference of a tensor that the format does not change, in
// units in the last place of float32.
const unchangedPlaces = 16

// only returns the part of lower that concerns the output and iterations of the given sets, and
// whether the format changes that output.
func only(lower *compare.LowerPrecision, sets []*tensor.Set) (own *compare.LowerPrecision,
	changes bool) {
	one := *lower
	one.Float32, one.Runs = nil, make([][]*tensor.Set, len(lower.Runs))
	for i, set := range sets[:min(len(sets), len(lower.Float32))] {
		if set == nil {
			continue
		}
		name, exact := set.Names()[0], lower.Float32[i]
		one.Float32 = append(one.Float32, exact.Only(name))
		for k, run := range lower.Runs {
			one.Runs[k] = append(one.Runs[k], run[i].Only(name))
			a, both := run[i].Get(name)
			e, _ := exact.Get(name)
			changes = changes || both && !a.Identical(e)
		}
	}
	return &one, changes
}

// reference returns the run whose model is rounded, and the engine that runs it.
func (j *Judge) reference(actual, expected *backends.Run) (*backends.Run, backends.Engine, error) {
	repeatable := func(r *backends.Run) bool { return r != nil && r.Subject().Repeatable() == nil }
	switch {
	case repeatable(expected) && j.Engine == nil:
		return expected, expected.Subject().Engine, nil
	case repeatable(expected):
		return expected, j.Engine, nil
	case repeatable(actual) && j.Engine != nil:
		return actual, j.Engine, nil
	case repeatable(actual) && j.Otherwise != nil:
		return actual, j.Otherwise, nil
	case repeatable(actual):
		return nil, nil, errors.New("the expected side was not run here, so it has no engine to run " +
			"the rounded model in: name one that computes in float32 (MeasuredIn), or run the reference")
	}
	return nil, nil, errors.New("neither side can be run again, so the model cannot be rounded: " +
		"give a run of an engine")
}
