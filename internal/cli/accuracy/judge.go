package accuracy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/runs"
)

// Judge judges saved results again without running a model. It judges accuracy results by their
// saved numbers, file by file, and saved runs pairwise, like [pairs.Compare]. All files must be of
// the same kind.
//
// asked says whether the limits in o were set by the user. Otherwise, accuracy results are judged
// by the limits that were saved with them.
func Judge(ctx context.Context, files []string, asked bool, o compare.Options) (
	[]compare.Pair, error) {
	var judged []compare.Pair
	accuracies := 0
	for _, file := range files {
		saved, err := polygraphy.IsAccuracy(file)
		if err != nil {
			return nil, err
		}
		if !saved {
			continue
		}
		accuracies++
		all, err := Read(file)
		if err != nil {
			return nil, err
		}
		again, err := judgeAgain(all, asked, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		judged = append(judged, again...)
	}
	switch {
	case len(files) == 0:
		return nil, errors.New("no file given; name a file with accuracy results or saved runs")
	case accuracies == len(files):
		return judged, nil
	case accuracies > 0:
		return nil, errors.New("accuracy results and saved runs cannot be judged together: name files " +
			"of one kind")
	}
	saved, err := runs.ReadAll(ctx, files)
	if err != nil {
		return nil, err
	}
	return pairs.Compare(ctx, saved, o)
}

// judgeAgain judges the accuracy results of one file. If asked is true, it uses the limits in o.
// Otherwise it uses the limits that were saved with the results.
func judgeAgain(saved polygraphy.Accuracy, asked bool, o compare.Options) ([]compare.Pair, error) {
	j := judging{options: o}
	if err := j.prepare(saved, asked); err != nil {
		return nil, err
	}
	var pairs []compare.Pair
	for _, place := range j.pairs {
		pair, err := j.pair(place)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
		if o.FailFast && pair.Report.Verdict == compare.Fail {
			break
		}
	}
	return pairs, nil
}

// judging holds the state of judging one file of accuracy results.
type judging struct {
	options  compare.Options
	comparer *compare.Comparer // nil if the saved limits apply
	pairs    []*keptPair
}

// keptPair holds the results that all comparison functions saved for two runs.
type keptPair struct {
	runners [2]string
	average bool
	outputs []*keptOutput
}

// keptOutput holds the saved results of one output, by iteration and comparison function.
type keptOutput struct {
	name    string
	results [][]polygraphy.AccuracyOutput
}

// prepare returns an error if the options do not fit the file, and collects the saved results of
// each output.
func (j *judging) prepare(saved polygraphy.Accuracy, asked bool) (err error) {
	for _, result := range saved {
		times := map[[2]string]int{}
		for _, pair := range result.Pairs {
			times[pair.Runners]++
			at := j.place(pair.Runners, times[pair.Runners])
			at.average = result.Aggregation == "average"
			for i, outputs := range pair.Iterations {
				for _, output := range outputs {
					at.add(i, output)
				}
			}
		}
	}
	var names []string
	for _, pair := range j.pairs {
		for _, output := range pair.outputs {
			if !slices.Contains(names, output.name) {
				names = append(names, output.name)
			}
		}
	}
	if names == nil {
		return errors.New("the file has no results to judge")
	}
	if !asked {
		return nil
	}
	if j.comparer, err = compare.Prepare(j.options); err != nil {
		return err
	}
	rest := j.options // what the saved numbers cannot answer
	rest.Checks, rest.PerOutput, rest.Average, rest.FailFast = nil, nil, false, false
	if !reflect.DeepEqual(rest, compare.Options{}) {
		return errors.New("accuracy results contain no tensors, so only tolerances, statistics, " +
			"--check-average and --fail-fast can be used; to use other flags, pass the saved runs instead")
	}
	for _, name := range slices.Sorted(maps.Keys(j.options.PerOutput)) {
		if !slices.ContainsFunc(names, wildcard.Compile(name).Match) {
			return fmt.Errorf("no output is called %s; the outputs are %s", name,
				strings.Join(names, ", "))
		}
	}
	return nil
}

// place returns the n-th entry for this pair of runners. If there are fewer than n, it adds a new
// entry and returns that.
func (j *judging) place(runners [2]string, n int) *keptPair {
	for _, pair := range j.pairs {
		if pair.runners == runners {
			if n--; n == 0 {
				return pair
			}
		}
	}
	j.pairs = append(j.pairs, &keptPair{runners: runners})
	return j.pairs[len(j.pairs)-1]
}

func (p *keptPair) add(iteration int, output polygraphy.AccuracyOutput) {
	i := slices.IndexFunc(p.outputs, func(o *keptOutput) bool { return o.name == output.Name })
	if i < 0 {
		i = len(p.outputs)
		p.outputs = append(p.outputs, &keptOutput{name: output.Name})
	}
	o := p.outputs[i]
	for len(o.results) <= iteration {
		o.results = append(o.results, nil)
	}
	o.results[iteration] = append(o.results[iteration], output)
}

// pair judges the saved results of two runs.
func (j *judging) pair(p *keptPair) (compare.Pair, error) {
	pair := compare.Pair{Actual: p.runners[0], Expected: p.runners[1]}
	average := p.average
	if j.comparer != nil {
		average = j.options.Average
	}
	failed := 0
	for _, o := range p.outputs {
		iterations := o.results
		if average {
			iterations = [][]polygraphy.AccuracyOutput{averaged(o.results)}
		}
		for i, kept := range iterations {
			output, err := j.output(o.name, kept)
			if err != nil {
				return pair, fmt.Errorf("%s against %s, output %q: %w", pair.Actual, pair.Expected, o.name,
					err)
			}
			if output.Iteration = i; average {
				output.Iteration = compare.Averaged
			}
			pair.Report.Outputs = append(pair.Report.Outputs, output)
			if output.Verdict == compare.Fail {
				failed++
			}
		}
	}
	if len(pair.Report.Outputs) == 0 {
		return pair, fmt.Errorf("%s against %s: no outputs were saved", pair.Actual, pair.Expected)
	}
	pair.Report.Verdict = compare.Pass
	if failed > 0 {
		pair.Report.Verdict = compare.Fail
		pair.Report.Reason = fmt.Sprintf("%d of %d outputs differ", failed, len(pair.Report.Outputs))
	}
	return pair, nil
}

func (j *judging) output(name string, kept []polygraphy.AccuracyOutput) (compare.Output, error) {
	out := compare.Output{Name: name, ExpectedName: name, Verdict: compare.Pass}
	fail := func(reason string) {
		if out.Verdict == compare.Pass {
			out.Verdict, out.Reason = compare.Fail, reason
		}
	}
	if j.comparer == nil {
		for _, k := range kept {
			if pass, err := k.Pass(); err != nil {
				return out, err
			} else if !pass {
				fail(k.Text())
			}
		}
		return out, nil
	}
	for _, check := range j.comparer.ChecksOf(name) {
		result, reason, err := judgeKept(check, kept)
		if err != nil {
			return out, err
		}
		out.Results = append(out.Results, result)
		if result.Verdict == compare.Fail {
			fail(reason)
		}
	}
	return out, nil
}

// averaged averages each result's numbers over the iterations.
func averaged(iterations [][]polygraphy.AccuracyOutput) []polygraphy.AccuracyOutput {
	if len(iterations) == 0 {
		return nil
	}
	var means []polygraphy.AccuracyOutput
	for k, first := range iterations[0] {
		mean := first
		mean.Metrics = slices.Clone(first.Metrics)
		for m := range mean.Metrics {
			mean.Metrics[m].Value = 0
			for _, kept := range iterations {
				value := math.NaN() // a missing number fails every check
				if k < len(kept) && kept[k].Class == first.Class {
					value = kept[k].Metric(mean.Metrics[m].Name)
				}
				mean.Metrics[m].Value += value / float64(len(iterations))
			}
		}
		if mean.Class != "" && mean.Stat != "elemwise" {
			mean.Passed = nil
		}
		for _, kept := range iterations { // a plain verdict has no mean: all must pass
			if k >= len(kept) || mean.Passed != nil && kept[k].Passed != nil && !*kept[k].Passed {
				no := false
				mean.Passed = &no
			}
		}
		means = append(means, mean)
	}
	return means
}
