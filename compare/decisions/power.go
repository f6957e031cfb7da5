package decisions

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
)

// A pass proves something only if a meaningless run would fail: a run whose outputs are
// all zeros, one constant or NaN. Two places decide that for every rule: lead for a row, and
// powerless for a whole comparison.

// These values take the place of the leading class for rows that have none.
const (
	hasNaN = math.MinInt + iota
	isFlat // all scores are equal
)

// nanRun says why a run with NaN fails.
const nanRun = "the actual run contains NaN"

// lead returns the position of the highest score of a row, and how far that score is above the
// lowest. Ties go to the lower position, as in NumPy's argmax. Instead of a position it returns
// hasNaN or isFlat for a row without a leading class.
func lead(row []float64) (at int, spread float64) {
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

// leader describes, for messages, a class that lead returned.
func leader(class int) string {
	switch class {
	case hasNaN:
		return "NaN"
	case isFlat:
		return "all scores are equal"
	}
	return strconv.Itoa(class)
}

// decide adds all to the number of decisions, and could to the number of decisions that would flip
// beyond the margin in a meaningless run. A rule that never calls decide can prove something only
// by its limits.
func (f *Findings) decide(all, could int) { f.Decisions, f.could = f.Decisions+all, f.could+could }

// atLeast adds a measure with a lower limit; 0 means no limit. dead is the value of the measure for
// a meaningless run. For two equal runs, the value is 1.
func (f *Findings) atLeast(name string, value, least, dead float64) {
	f.Measures = append(f.Measures, Measure{Name: name, Value: value, Limit: noneIfZero(least),
		self: 1, dead: dead})
}

// atMost adds a measure with an upper limit. self is the value of the measure if the expected run
// is compared with itself, and dead is the value for a meaningless run.
func (f *Findings) atMost(name string, value, most, self, dead float64) {
	f.Measures = append(f.Measures, Measure{Name: name, Value: value, Limit: most, AtMost: true,
		self: self, dead: dead})
}

func (m Measure) with(value float64) Measure {
	m.Value = value
	return m
}

// powerless returns an error if a meaningless run would pass too.
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
		return hollow("use inputs with clearer decisions, or a stricter rule",
			"%d of %d %s could flip beyond the margin%s (%s)", f.could, f.Decisions, f.Unit, may, f.idle)
	}
	for _, m := range f.Measures {
		if math.IsNaN(m.Limit) {
			continue
		}
		if limits++; m.with(m.dead).Holds() {
			return hollow("set a stricter limit, or use a different reference", "a meaningless run, "+
				"such as constant outputs, would also pass: %v", m.with(m.dead))
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
		if !m.Holds() && !m.with(m.self).Holds() {
			return fmt.Errorf("%s: the expected run itself does not meet the limit: %v; set a "+
				"different limit, or use more inputs", f.Rule, m.with(m.self))
		}
	}
	return nil
}
