package precision

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Judge holds runs of lower precision to what the format itself costs, and notes down what each
// judgement rests on.
type Judge struct {
	Format  Format
	Bars    compare.PrecisionBars
	Options compare.Options // without checks
	// Engine runs the rounded model; nil is that of the expected run. It must compute in float32.
	Engine backends.Engine
	// Otherwise takes Engine's place where that is nil and the expected run has no engine.
	Otherwise backends.Engine
	// Notes are one line for each comparison.
	Notes []string

	known map[string]*compare.LowerPrecision // by the model, the inputs and the engine
}

// Compare is compare.NoWorseThan of two runs: actual is of lower precision, expected in float32.
// The model is rounded that the expected run is of, on its inputs; that of the actual run, where
// expected was read from a file and an engine is named. Errors are those of [Of], and two runs of
// which neither can be repeated.
func (j *Judge) Compare(actual, expected *backends.Run) (compare.Report, error) {
	return j.Sets(actual, expected, actual.Outputs(), expected.Outputs())
}

// Sets is [Judge.Compare] for outputs that were changed since they ran. Either run may be nil.
func (j *Judge) Sets(actual, expected *backends.Run, actualSets, expectedSets []*tensor.Set) (
	compare.Report, error) {
	run, engine, err := j.reference(actual, expected)
	if err != nil {
		return compare.Report{}, fmt.Errorf("precision: %w", err)
	}
	subject := run.Subject()
	subject.Engine = engine
	p := run.Provenance
	key := fmt.Sprint(p.ModelSHA256, p.InputsSHA256, engine.Text())
	lower := j.known[key]
	if lower == nil || p.ModelSHA256 == "" || p.InputsSHA256 == "" {
		ctx, err := backends.ContextOf(run, actual, expected)
		if err != nil {
			return compare.Report{}, fmt.Errorf("precision: %w", err)
		}
		if lower, err = Of(ctx, subject, j.Format); err != nil {
			return compare.Report{}, err
		}
		if j.known == nil {
			j.known = map[string]*compare.LowerPrecision{}
		}
		j.known[key] = lower
	}
	report, err := compare.NoWorseThan(actualSets, expectedSets, lower, j.Bars, j.Options)
	if err == nil {
		j.Notes = append(j.Notes, fmt.Sprintf("the error of %s is that of %d runs of %s rounded to it, "+
			"in %v", j.Format, len(lower.Runs), subject.Model.Name(), engine))
	}
	return report, err
}

// reference is the run whose model is rounded, and the engine that runs it.
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
