package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Finite checks every iteration of a run: an output that contains a NaN or an infinity fails.
// Integers, bools and strings are always finite. A run without outputs is an error, because it
// contains nothing to check; a run whose outputs are all empty is an error unless allowEmpty is
// true.
func Finite(run []*tensor.Set, allowEmpty bool) (Report, error) {
	report := Report{Verdict: Pass}
	failed, elements := 0, 0
	for i, set := range run {
		for _, v := range set.Values() {
			output := lone(v, v.Name)
			output.Iteration, output.Verdict = i, Pass
			t := output.Actual
			if c := CensusOf(t); c.Total() > 0 {
				failed++
				output = output.failed("not finite: " + c.String())
			}
			elements += t.Len()
			report.Outputs = append(report.Outputs, output)
		}
	}
	switch {
	case len(report.Outputs) == 0:
		return Report{}, errors.New("compare: no outputs to check")
	case elements == 0 && !allowEmpty:
		return Report{}, errNothing("every output is empty")
	case failed > 0:
		report.Verdict = Fail
		report.Reason = fmt.Sprintf("%d of %d outputs are not finite", failed, len(report.Outputs))
	}
	return report, nil
}
