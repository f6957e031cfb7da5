package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Finite checks every iteration of a run: an output that contains a NaN or an infinity fails.
// Integers, bools and strings are always finite, so a note names these outputs as not tested. It is
// an error if a run has no outputs, or only outputs of such types ([Powerless]). It is also an
// error if all tested outputs are empty, unless allowEmpty is true.
func Finite(run []*tensor.Set, allowEmpty bool) (Report, error) {
	report := Report{Verdict: Pass}
	failed, tested, elements := 0, 0, 0
	var untested []string
	listed := map[string]bool{}
	for i, set := range run {
		for _, v := range set.Values() {
			output := lone(v, v.Name)
			output.Iteration, output.Verdict = i, Pass
			t := output.Actual
			if c := CensusOf(t); c.Total() > 0 {
				failed++
				output = output.failed("not finite: " + c.String())
			}
			if _, _, bounded := span(t.ElementType()); bounded || t.ElementType() == tensor.String {
				if !listed[v.Name] {
					listed[v.Name] = true
					untested = append(untested, v.Name)
				}
			} else {
				tested++
				elements += t.Len()
			}
			report.Outputs = append(report.Outputs, output)
		}
	}
	switch {
	case len(report.Outputs) == 0:
		return Report{}, errors.New("compare: no outputs to check")
	case tested == 0:
		return Report{}, &Powerless{Rule: "a search for NaN and infinities", Output: untested[0],
			Why:    "no output has a type that can represent NaN or infinities",
			Remedy: "compare the outputs with expected ones"}
	case elements == 0 && !allowEmpty:
		return Report{}, errNothing("every output is empty")
	case failed > 0:
		report.Verdict = Fail
		report.Reason = fmt.Sprintf("%d of %d outputs are not finite", failed, len(report.Outputs))
	}
	if len(untested) > 0 {
		report.Notes = append(report.Notes, "not tested, because their types cannot represent NaN or "+
			"infinities: "+
			names.List(untested))
	}
	return report, nil
}
