package compare

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// measuredRule is the common part of the rules whose limits are measured instead of chosen:
// [WithinNoise] and [NoWorseThan].
type measuredRule struct{}

func (measuredRule) validate() error { return nil }

func (measuredRule) holds(r *Result) bool { return r.Verdict == Pass }

func (measuredRule) figures(r *Result) string { return r.Text }

func (measuredRule) elements() elementRule { return nil }

func (measuredRule) mean([]Result) (Result, bool) { return Result{}, false }

func (measuredRule) suggest(pair, Result, *Required) {}

// alarm returns an error if p cannot be a false-alarm rate.
func alarm(p float64) error {
	if !(p > 0 && p < 0.5) {
		return fmt.Errorf("FalseAlarm is %v: want a probability between 0 and 0.5", p)
	}
	return nil
}

// measuredRuns compares two runs iteration by iteration. ruleFor returns the rule for an output, or
// nil for an output whose limits were not measured. Such an output is judged by the rule
// unmeasured.
func measuredRuns(actual, expected []*tensor.Set, o Options, unmeasured rule,
	ruleFor func(iteration int, name string) rule) (Report, error) {
	report := Report{Verdict: Pass}
	for i := range min(len(actual), len(expected)) {
		o.Checks, o.PerOutput = []Check{{rule: unmeasured}}, map[string][]Check{}
		for _, v := range actual[i].Values() {
			if r := ruleFor(i, v.Name); r != nil {
				o.PerOutput[v.Name] = []Check{{rule: r}}
			}
		}
		one, err := Sets(actual[i], expected[i], o)
		if err != nil {
			return Report{}, err
		}
		report.LeftOut, report.Notes = one.LeftOut, one.Notes
		for _, output := range one.Outputs {
			output.Iteration = i
			report.Outputs = append(report.Outputs, output)
		}
	}
	report.conclude(len(actual), len(expected))
	return report, nil
}
