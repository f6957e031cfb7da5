package accuracy

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
)

// judgeKept judges an output by a check, using only the numbers that were saved for the output. If
// the output fails, reason says why. judgeKept returns an error if the saved numbers are not enough
// for a verdict.
func judgeKept(check compare.Check, kept []polygraphy.AccuracyOutput) (
	result compare.Result, reason string, err error) {
	result = compare.Result{Check: check, Verdict: compare.Fail, Abs: math.NaN(), Rel: math.NaN(),
		Value: math.NaN(), Limit: check.Limit(), Mismatches: -1}
	class, stat, limits := keptAs(check)
	for _, saved := range kept {
		if class == "" || saved.Class != class {
			continue
		}
		held := saved // saved, with the check's limits
		held.Passed, held.Thresholds, held.Stat = nil, limits, stat
		var pass bool
		switch {
		case contradicts(saved):
			err = errors.New("the saved check failed although the saved errors are within tolerance: " +
				"the saved errors leave out some elements, such as NaN")
		case check.Stat() == compare.Elementwise:
			held.Stat = "max"
			pass, err = elementwiseAgain(saved, held)
		default:
			pass, err = held.Pass()
		}
		if pass {
			result.Verdict = compare.Pass
		}
		result.Abs, result.Rel = held.Metric(held.Stat+"_absdiff"), held.Metric(held.Stat+"_reldiff")
		if names, one := oneMetric[check.Stat()]; one {
			result.Value = held.Metric(names[1])
		}
		if err == nil {
			return result, held.Text(), nil
		}
	}
	if err == nil {
		err = errors.New("the file lacks the statistics that this check needs")
	}
	return result, "", fmt.Errorf("%v: %w; judge the saved runs instead: modelparity check accuracy "+
		"ACTUAL EXPECTED", check, err)
}

// keptAs says where Polygraphy's accuracy results store the numbers that a check needs: class is
// the type of result, and stat names the error statistic in that result. limits is the check's own
// limits in Polygraphy's form. class is "" if no type of result stores the numbers.
func keptAs(check compare.Check) (class, stat string, limits []polygraphy.Metric) {
	if names, one := oneMetric[check.Stat()]; one {
		return names[0], "", []polygraphy.Metric{{Name: "threshold", Value: check.Limit()}}
	}
	atol, rtol, _ := check.Tolerances()
	if name, known := simpleStats[check.Stat()]; known &&
		check == compare.Within(atol, rtol, check.Stat()) {
		return "OutputCompareResult", name, []polygraphy.Metric{{Name: "atol", Value: atol},
			{Name: "rtol", Value: rtol}}
	}
	return "", "", nil
}

// contradicts reports whether a saved result failed elementwise although its largest errors are
// within its tolerances. In that case, the saved errors do not cover all elements: NaN, for
// example, is left out of them.
func contradicts(saved polygraphy.AccuracyOutput) bool {
	if saved.Class != "OutputCompareResult" || saved.Passed == nil || *saved.Passed {
		return false
	}
	saved.Passed, saved.Stat = nil, "max"
	within, err := saved.Pass()
	return err == nil && within
}

// elementwiseAgain derives an elementwise verdict under new limits from the largest errors and the
// saved verdict. An output that failed also fails with tighter tolerances, and an output that
// passed also passes with wider ones. In all other cases the verdict depends on single elements,
// and elementwiseAgain returns an error. The parameter held is a copy of saved with the new limits.
func elementwiseAgain(saved, held polygraphy.AccuracyOutput) (bool, error) {
	if within, err := held.Pass(); err != nil || within {
		return within, err
	}
	tighter, wider := true, true
	for _, limit := range held.Thresholds {
		was := saved.Threshold(limit.Name) // NaN is neither larger nor smaller
		tighter, wider = tighter && limit.Value <= was, wider && limit.Value >= was
	}
	switch {
	case saved.Stat != "elemwise" || saved.Passed == nil:
	case tighter && !*saved.Passed:
		return false, nil
	case wider && *saved.Passed:
		return true, nil
	}
	return false, errors.New("an elementwise verdict needs the tensors, which were not saved")
}
