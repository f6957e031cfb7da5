package decisions

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
)

// A pass proves something only if a wrong run would fail: a run whose outputs are all zeros, one
// constant or NaN. Two places decide that for every rule: topIndex for a row, and powerless for a
// whole comparison.

// These values take the place of the index of the highest score for rows that have none.
const (
	hasNaN = math.MinInt + iota
	isFlat // all scores are equal
)

// nanRun says why a run with NaN fails.
const nanRun = "the actual run contains NaN"

// topIndex returns the index of the highest score of a row, and how far that score is above the
// lowest. Ties go to the lower index, as in NumPy's argmax. For a row with NaN it returns hasNaN
// instead of an index, and for a row of equal scores isFlat.
func topIndex(row []float64) (at int, spread float64) {
	low := row[0]
	for i, v := range row {
		if math.IsNaN(v) {
			return hasNaN, v
		}
		if v > row[at] {
			at = i
		}
		low = min(low, v)
	}
	if row[at] == low {
		return isFlat, 0
	}
	return at, row[at] - low
}

// topText describes a result of topIndex, for messages.
func topText(top int) string {
	switch top {
	case hasNaN:
		return "NaN"
	case isFlat:
		return "all scores are equal"
	}
	return strconv.Itoa(top)
}

// decide adds n decisions to the findings. flips is how many of these decisions would flip in a run
// whose outputs are all zero, or all the same number. Flips that the rule excuses do not count.
// powerless uses the totals to check whether such a run would pass.
func (f *Findings) decide(n, flips int) { f.Decisions, f.could = f.Decisions+n, f.could+flips }

// atLeast adds a measure with a lower limit; 0 means no limit. Two equal runs must have the value
// 1. ifWrong is the value for a wrong run, such as constant outputs. A limit that ifWrong meets
// proves nothing.
func (f *Findings) atLeast(name string, value, least, ifWrong float64) {
	f.Measures = append(f.Measures, Measure{Name: name, Value: value, Limit: noneIfZero(least),
		ifEqual: 1, ifWrong: ifWrong})
}

// atMost adds a measure with an upper limit. ifEqual is the value for two equal runs, and ifWrong
// is the value for a wrong run.
func (f *Findings) atMost(name string, value, most, ifEqual, ifWrong float64) {
	f.Measures = append(f.Measures, Measure{Name: name, Value: value, Limit: most, AtMost: true,
		ifEqual: ifEqual, ifWrong: ifWrong})
}

func (m Measure) with(value float64) Measure {
	m.Value = value
	return m
}

// powerless returns an error if the rule would pass a wrong run, such as constant outputs. A pass
// of the actual run would then prove nothing.
func (f *Findings) powerless() error {
	hollow := func(remedy, why string, args ...any) error {
		return &compare.Powerless{Output: strings.Join(f.Outputs, ", "), Rule: f.Rule,
			Why: fmt.Sprintf(why, args...), Remedy: remedy}
	}
	allowed, limits, may := f.Allowed*float64(f.Decisions), 0, ""
	limitsDecide := math.IsInf(f.Allowed, 1)
	if limitsDecide {
		allowed = 0
	} else if f.Allowed > 0 {
		may = fmt.Sprintf(", but the rule allows %s", figures.Percent(f.Allowed))
	}
	if (f.Unit != "" || !limitsDecide) && float64(f.could) <= allowed {
		return hollow("use inputs about which the model is more certain, or a stricter rule",
			"%d of %d %s could fail%s (%s)", f.could, f.Decisions, f.Unit, may, f.idle)
	}
	for _, m := range f.Measures {
		if math.IsNaN(m.Limit) {
			continue
		}
		if limits++; m.with(m.ifWrong).Holds() {
			return hollow("set a stricter limit, or use a different reference", "a wrong run, "+
				"such as constant outputs, would also pass: %v", m.with(m.ifWrong))
		}
	}
	if limitsDecide && limits == 0 {
		return hollow("set a limit", "nothing is limited")
	}
	return nil
}

// unmet returns an error if the rule fails because of a limit that the expected run itself does not
// meet.
func (f *Findings) unmet() error {
	for _, m := range f.Measures {
		if !m.Holds() && !m.with(m.ifEqual).Holds() {
			return fmt.Errorf("%s: the expected run itself does not meet the limit: %v; set a "+
				"different limit, or use more inputs", f.Rule, m.with(m.ifEqual))
		}
	}
	return nil
}
