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
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Judge decides whether runs in a lower precision are no worse than the error that the format
// itself causes. Use one Judge for several comparisons: it rounds each model only once.
type Judge struct {
	Format  Format
	Bars    compare.Bars
	Options compare.Options // without checks
	// Engine runs the rounded model and must compute in float32. If it is nil, the engine of the
	// expected run is used.
	Engine backends.Engine
	// Otherwise is the engine to use if Engine is nil and the expected run has no engine.
	Otherwise backends.Engine
	// Notes says for each comparison how the format's error was measured, one line each.
	Notes []string

	known map[string]*compare.LowerPrecision // keyed by model, inputs and engine
}

// Compare applies compare.NoWorseThan to actualSets and expectedSets: the outputs of actual, a run
// in lower precision, and of expected, a run in float32. The caller may have changed the outputs
// after the runs, for example by postprocessing. One of the runs may be nil.
//
// To measure the format's error, Compare rounds the expected run's model and runs it on the
// expected run's inputs. If expected was read from a file and j names an engine, Compare uses the
// actual run's model and inputs instead. Compare returns an error for the same reasons as [Of], and
// also if neither run can be repeated, or if the actual run's model would be rounded but has 16-bit
// weights.
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
		j.Notes = append(j.Notes, fmt.Sprintf("measured the error of rounding to %s: ran %s %d times in "+
			"%v, with rounded values", j.Format, names.Line(subject.Model.Name()), len(lower.Runs), engine))
	}
	return report, err
}

// oneByOne reports whether the engine is known to add the terms of every sum one after the other.
func oneByOne(engine backends.Engine) bool {
	if engine == nil { // the run was read from a file
		return false
	}
	chain := backends.CapabilitiesOf(engine).Chain
	return chain != nil && chain("MatMul") == math.MaxInt
}

// Measure is a value for locate.Options.Measure, which package locate calls with models whose inner
// tensors are outputs too, or with parts of a model. Measure rounds the reference's model to the
// format and runs it on the reference's inputs, as [Of] does.
//
// Measure returns a rule and a description of the measurement. The rule judges one output of the
// engine under test; it ignores iterations whose set is nil. For an output that the format does not
// change, the rule allows only a norm-wise relative difference of [unchangedError].
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
			rule.Checks = []compare.Check{compare.NormRelative(unchangedError)}
			return compare.Runs(actual, expected, rule)
		}, fmt.Sprintf("rounding error of %s, measured in %d runs of the model in %v, with values "+
			"rounded to %[1]s", j.Format, len(lower.Runs), reference.Engine), nil
}

// unchangedError is the largest norm-wise relative difference between two engines that [Judge]
// accepts in a tensor whose values [Judge.Format] represents exactly. It is 16 times float32's
// rounding error.
const unchangedError = 0x1p-20

// only returns the part of lower that belongs to one output. sets contains that output of each
// iteration, alone in a set; iterations whose set is nil are left out. changes reports whether
// rounding to the format changes the output in any iteration.
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
			a, both := run[i].Value(name)
			e, _ := exact.Value(name)
			changes = changes || both && !slices.EqualFunc(a.Parts, e.Parts, identical)
		}
	}
	return &one, changes
}

func identical(a, b tensor.Entry) bool { return a.Tensor.Identical(b.Tensor) }

// reference returns the run whose model is run again with simulated rounding, and the engine for
// it.
func (j *Judge) reference(actual, expected *backends.Run) (*backends.Run, backends.Engine, error) {
	repeatable := func(r *backends.Run) bool { return r != nil && r.Subject().Repeatable() == nil }
	switch {
	case repeatable(expected):
		return expected, cmp.Or(j.Engine, expected.Subject().Engine), nil
	case repeatable(actual) && (j.Engine != nil || j.Otherwise != nil):
		return actual, cmp.Or(j.Engine, j.Otherwise), j.notHalf(actual.Subject().Model)
	case repeatable(actual):
		return nil, nil, errors.New("the expected outputs were read from a file, so there is no " +
			"float32 engine to run the rounded model in: run the reference model instead of loading its " +
			"outputs, or, in a spec, choose an engine with MeasuredIn")
	}
	return nil, nil, errors.New("neither side can be run again, so the error of rounding cannot be " +
		"measured: compare a run of an engine, not only saved outputs")
}

// notHalf returns an error if the model under test, which is rounded for lack of the reference's,
// has 16-bit weights. They would not be rounded, so the limits would be too strict.
func (j *Judge) notHalf(under fixtures.Declaration) error {
	model, err := backends.ONNX("rounding", under)
	if err != nil {
		return err
	}
	weights, err := model.Initializers()
	for _, w := range weights {
		if w.Type == tensor.Float16 || w.Type == tensor.BFloat16 {
			return fmt.Errorf("the expected outputs were read from a file, so %s, the model under test, "+
				"would be rounded, but its weight %s is already %v: compare with a run of the float32 "+
				"model, or use modelparity locate %[1]s FLOAT32.onnx --no-worse-than %[4]s",
				names.Line(model.Name()), names.Line(w.Name), w.Type, j.Format)
		}
	}
	return err
}
