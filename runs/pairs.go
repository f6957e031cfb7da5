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

// ReadOne reads the single run that path names. If the file holds several, the error says how
// to select one.
func ReadOne(path string) (Named, error) {
	runs, err := ReadAll([]string{path})
	if err == nil && len(runs) != 1 {
		err = fmt.Errorf("%s has %d runs; select one, for example %[1]s#0", path, len(runs))
	}
	if err != nil {
		return Named{}, err
	}
	return runs[0], nil
}

// ReadOutputs reads the outputs of the single run that path names, one set per iteration.
func ReadOutputs(path string) ([]*tensor.Set, error) {
	one, err := ReadOne(path)
	if err != nil {
		return nil, err
	}
	return one.Run.Outputs(), nil
}

// ReadAll reads the runs of all files, in order. FILE#RUN selects one run of a file,
// FILE#RUN/ITERATION one of its iterations.
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

// ComparePairs compares each run with the next one, as Polygraphy does. If one side's format
// has no output names, it takes the other side's. A single run is an error unless
// Options.Finite is set; it is then checked for NaN and infinities.
func ComparePairs(ctx context.Context, runs []Named, options compare.Options) (
	[]compare.Pair, error) {
	comparer, err := compare.Prepare(options)
	if err != nil {
		return nil, err
	}
	if len(runs) < 2 && !options.Finite {
		return nil, errors.New("only one run was given, so there is nothing to compare it with")
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

// JudgePairs is like [ComparePairs] with a rule given by the caller, and needs two runs or
// more. With failFast it stops at the first pair that fails.
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

// judgePair compares one run with another. If one side's format has no output names, it takes
// the other side's.
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

// SameInputs returns an error if the runs had different inputs.
func SameInputs(runs []Named) error {
	for _, named := range runs {
		if _, inputs := named.Run.Provenance.Differences(runs[0].Run.Provenance); inputs != "" {
			return fmt.Errorf("%s and %s ran on different inputs: %s; use inputs that do not change",
				named.Name, runs[0].Name, inputs)
		}
	}
	return nil
}

// unlike describes how the models and inputs of two runs differ.
func unlike(actual, expected *backends.Run) (found []string) {
	model, inputs := actual.Provenance.Differences(expected.Provenance)
	if model != "" {
		a, e := actual.Outputs()[0].Names(), expected.Outputs()[0].Names()
		if slices.Sort(a); !slices.Equal(a, slices.Sorted(slices.Values(e))) {
			model += "; marking tensors also changes it"
		}
		found = append(found, model)
	}
	if inputs != "" {
		found = append(found, inputs)
	}
	return found
}

// Timings returns the run times, for runs whose times are known.
func Timings(runs []Named) (all []compare.Timing) {
	for _, named := range runs {
		var times []time.Duration
		for _, iteration := range named.Run.Iterations() {
			times = append(times, iteration.Runtime)
		}
		in := ""
		if engine := named.Run.Subject().Engine; engine != nil {
			in = engine.GoString()
		}
		if t, ok := compare.TimingOf(title(named), in, times); ok {
			all = append(all, t)
		}
	}
	return all
}

// title names a run in messages: its file or runner, and its provenance.
func title(named Named) string {
	made := named.Run.Provenance.String()
	if strings.HasSuffix(named.Name, "#"+made) {
		return named.Name // Polygraphy's runs have no provenance but the name
	}
	return named.Name + " (" + made + ")"
}
