// Package pairs compares each run in a list with the next run.
package pairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/runs"
)

// Compare compares each run with the next one, as Polygraphy does. Some file formats store no
// output names; a run from such a file gets the names of the run that it is compared with. For a
// single run, Compare returns an error, unless Options.Finite is set: then it checks the run for
// NaN and infinities.
func Compare(ctx context.Context, all []runs.Named, options compare.Options) (
	[]compare.Pair, error) {
	comparer, err := compare.Prepare(options)
	if err != nil {
		return nil, err
	}
	if len(all) < 2 && !options.Finite {
		return nil, errors.New("only one run was given, so there is nothing to compare it with")
	}
	if len(all) == 1 {
		report, err := compare.Finite(all[0].Run.Outputs(), options.AllowEmpty)
		if err != nil {
			return nil, err
		}
		return []compare.Pair{{Actual: title(all[0]), Report: report}}, nil
	}
	return Judge(ctx, all, options.FailFast, func(actual, expected *backends.Run) (
		compare.Report, error) {
		return comparer.Runs(actual.Outputs(), expected.Outputs())
	})
}

// Judge is like [Compare], but the caller supplies the rule, and there must be at least two runs.
// If failFast is true, it stops at the first pair that fails.
func Judge(ctx context.Context, all []runs.Named, failFast bool,
	judge func(actual, expected *backends.Run) (compare.Report, error)) ([]compare.Pair, error) {
	var pairs []compare.Pair
	for i := 0; i+1 < len(all); i++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		p, err := judgePair(judge, all[i], all[i+1])
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

// judgePair compares one run with another. A run from a file without output names gets the other
// run's names.
func judgePair(judge func(actual, expected *backends.Run) (compare.Report, error),
	actual, expected runs.Named) (p compare.Pair, err error) {
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
func SameInputs(all []runs.Named) error {
	for _, named := range all {
		if _, inputs := named.Run.Provenance.Differences(all[0].Run.Provenance); inputs != "" {
			return fmt.Errorf("%s and %s ran on different inputs: %s; use inputs that do not change",
				named.Name, all[0].Name, inputs)
		}
	}
	return nil
}

// unlike returns notes about a pair of runs: the differences between their models and between their
// inputs, and the precisions of both.
func unlike(actual, expected *backends.Run) (found []string) {
	model, inputs := actual.Provenance.Differences(expected.Provenance)
	if model != "" {
		a, e := actual.Outputs()[0].Names(), expected.Outputs()[0].Names()
		if slices.Sort(a); !slices.Equal(a, slices.Sorted(slices.Values(e))) {
			model += "; marking tensors as outputs also changes the model"
		}
		found = append(found, model)
	}
	if inputs != "" {
		found = append(found, inputs)
	}
	return append(found, actual.Provenance.Precisions(expected.Provenance))
}

// Timings returns the times of the runs. It leaves out runs whose times are unknown.
func Timings(of []runs.Named) (all []compare.Timing) {
	for _, named := range of {
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

// title returns the name of a run for messages: its file or runner, and its provenance.
func title(named runs.Named) string {
	made := named.Run.Provenance.String()
	if strings.HasSuffix(named.Name, "#"+made) {
		return named.Name // Polygraphy's runs have only a name
	}
	return named.Name + " (" + made + ")"
}
