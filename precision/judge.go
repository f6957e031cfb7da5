package precision

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/noise"
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
	// Otherwise is used if Engine is nil and the expected run has no engine.
	Otherwise backends.Engine
	// Notes holds one line per comparison.
	Notes []string

	known map[string]*compare.LowerPrecision // keyed by model, inputs and engine
}

// Compare applies compare.NoWorseThan to the outputs of two runs, which may have been changed after
// the run: actual in lower precision and expected in float32. It rounds the expected run's model
// and runs it on the expected run's inputs. If expected was read from a file and an engine is set,
// it uses the actual run's model and inputs instead. Either run may be nil. It returns the errors
// of [Of], and an error if neither run can be repeated.
func (j *Judge) Compare(actual, expected *backends.Run, actualSets, expectedSets []*tensor.Set) (
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
	judged := *lower
	judged.Sequential = noise.Sequential(actual)
	report, err := compare.NoWorseThan(actualSets, expectedSets, &judged, j.Bars, j.Options)
	if err == nil {
		j.Notes = append(j.Notes, fmt.Sprintf("the error of %s was measured in %d runs of %s rounded "+
			"to that format, in %v", j.Format, len(lower.Runs), subject.Model.Name(), engine))
	}
	return report, err
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
