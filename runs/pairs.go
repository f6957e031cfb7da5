package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// ReadOne reads the one run that path names. A file with several is an error that says how to pick.
func ReadOne(path string) (Named, error) {
	runs, err := ReadAll([]string{path})
	if err == nil && len(runs) != 1 {
		err = fmt.Errorf("%s has %d runs; pick one, as %[1]s#0", path, len(runs))
	}
	if err != nil {
		return Named{}, err
	}
	return runs[0], nil
}

// ReadOutputs reads the outputs of the one run that path names, one set for each iteration.
func ReadOutputs(path string) ([]*tensor.Set, error) {
	one, err := ReadOne(path)
	if err != nil {
		return nil, err
	}
	return one.Run.Outputs(), nil
}

// ReadAll reads saved runs, in the order of the files and of the runs within each. FILE#RUN is one
// run of a file, FILE#RUN/ITERATION one iteration of it.
func ReadAll(files []string) ([]Named, error) {
	var runs []Named
	for _, file := range files {
		read, err := ReadRuns(file)
		if err != nil {
			return nil, err
		}
		for _, named := range read {
			if len(read) == 1 {
				named.Name = file
			} else {
				named.Name = file + "#" + named.Name
			}
			runs = append(runs, named)
		}
	}
	return runs, nil
}

// ComparePairs holds each run to the next one, as Polygraphy does. A side whose format has no names
// for outputs takes them from the other. A single run is only checked for NaN and infinities, with
// Options.Finite; without it, a single run is an error.
func ComparePairs(ctx context.Context, runs []Named, options compare.Options) (
	[]compare.Pair, error) {
	comparer, err := compare.Prepare(options)
	if err != nil {
		return nil, err
	}
	if len(runs) < 2 && !options.Finite {
		return nil, errors.New("there is only one run, so nothing to compare it with")
	}
	if len(runs) == 1 {
		report, err := compare.Finite(runs[0].Run.Outputs(), options.AllowEmpty)
		if err != nil {
			return nil, err
		}
		return []compare.Pair{{Actual: title(runs[0]), Report: report}}, nil
	}
	return JudgePairs(ctx, runs, options.FailFast, func(actual, expected *backends.Run) (
		compare.Report, error) {
		return comparer.Runs(actual.Outputs(), expected.Outputs())
	})
}

// JudgePairs is [ComparePairs] by a rule of the caller's own, for two runs or more. With failFast
// it ends at the first pair that fails.
func JudgePairs(ctx context.Context, runs []Named, failFast bool,
	judge func(actual, expected *backends.Run) (compare.Report, error)) ([]compare.Pair, error) {
	var pairs []compare.Pair
	for i := 0; i+1 < len(runs); i++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		p, err := judgePair(judge, runs[i], runs[i+1])
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
		if failFast && p.Report.Verdict == compare.Fail {
			break
		}
	}
	return pairs, nil
}

// judgePair holds one run to another. A side whose format has no names for outputs takes them from
// the other.
func judgePair(judge func(actual, expected *backends.Run) (compare.Report, error),
	actual, expected Named) (p compare.Pair, err error) {
	p.Actual, p.Expected = title(actual), title(expected)
	if actual, err = actual.NamedLike(expected.Run); err != nil {
		return p, err
	}
	if expected, err = expected.NamedLike(actual.Run); err != nil {
		return p, err
	}
	p.Report, err = judge(actual.Run, expected.Run)
	if err != nil {
		return p, fmt.Errorf("%s against %s: %w", p.Actual, p.Expected, err)
	}
	p.Report.Notes = append(p.Report.Notes, unlike(actual.Run, expected.Run)...)
	return p, nil
}

// SameInputs is an error if runs that belong together had different inputs.
func SameInputs(runs []Named) error {
	for _, named := range runs {
		if _, inputs := named.Run.Provenance.Differences(runs[0].Run.Provenance); inputs != "" {
			return fmt.Errorf("%s and %s ran on different inputs: %s; give inputs that do not change",
				named.Name, runs[0].Name, inputs)
		}
	}
	return nil
}

// unlike says how the model and the inputs of two runs differ.
func unlike(actual, expected *backends.Run) (found []string) {
	model, inputs := actual.Provenance.Differences(expected.Provenance)
	if model != "" {
		a, e := actual.Outputs()[0].Names(), expected.Outputs()[0].Names()
		if slices.Sort(a); !slices.Equal(a, slices.Sorted(slices.Values(e))) {
			model += "; marked tensors change it, too"
		}
		found = append(found, model)
	}
	if inputs != "" {
		found = append(found, inputs)
	}
	return found
}

// Timings are how long the runs took, of those whose times are known.
func Timings(runs []Named) (all []compare.Timing) {
	for _, named := range runs {
		var times []time.Duration
		for _, iteration := range named.Run.Iterations() {
			times = append(times, iteration.Runtime)
		}
		if t, ok := compare.TimingOf(title(named), times); ok {
			if engine := named.Run.Subject().Engine; engine != nil {
				t = t.In(engine.GoString())
			}
			all = append(all, t)
		}
	}
	return all
}

// title names a run in messages: where it was read from, or which runner it is, and what made it.
func title(named Named) string {
	made := named.Run.Provenance.String()
	if strings.HasSuffix(named.Name, "#"+made) {
		return named.Name // all that is known of a run of Polygraphy's is its name
	}
	return named.Name + " (" + made + ")"
}
