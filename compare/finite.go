package compare

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Finite looks a run over, iteration by iteration: an output with a NaN or an infinity fails.
// Integers, bools and strings are finite. A run without outputs, or without a single element, fails
// too: there is nothing in it that could be finite.
func Finite(run []*tensor.Set) Report {
	report := Report{Verdict: Pass}
	failed, elements := 0, 0
	for i, set := range run {
		for name, t := range set.All() {
			output := Output{Name: name, ExpectedName: name, Iteration: i, Verdict: Pass, Actual: t}
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
		report.Reason = "there are no outputs"
	case elements == 0:
		report.Reason = "the outputs have no elements"
	case failed > 0:
		report.Reason = fmt.Sprintf("%d of %d outputs are not finite", failed, len(report.Outputs))
	}
	if report.Reason != "" {
		report.Verdict = Fail
	}
	return report
}
