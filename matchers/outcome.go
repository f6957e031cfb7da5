package matchers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// Outcome is the result of a comparison, for reports: see [OutputsMatcher.ReportTo] and package
// report. It marshals to JSON whatever the numbers are, NaN included.
type Outcome struct {
	// Actual and Expected name the two sides: backend, version, model, golden file.
	Actual   string
	Expected string
	// Golden says what an update did to the golden file, or would do, and how far the outputs moved.
	// The report is then about the run and the file as the update left it.
	Golden string
	// Report is the comparison itself.
	Report compare.Report
}

// MarshalJSON writes the outcome as a [compare.Document] of one pair.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(compare.Document{Pairs: []compare.Pair{compare.Pair(o)}})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Outcome) UnmarshalJSON(text []byte) error {
	var d compare.Document
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	if len(d.Pairs) != 1 {
		return fmt.Errorf("matchers: an outcome has one pair of runs, got %d", len(d.Pairs))
	}
	*o = Outcome(d.Pairs[0])
	return nil
}

// outcome puts the last comparison into words.
func (m *comparer) outcome() Outcome {
	o := Outcome{Actual: m.last.actual.String(), Expected: m.last.reference.String(),
		Report: m.last.report}
	if maker := m.maker(); maker != "" {
		o.Expected += ", made by " + maker
	}
	if change := m.last.change; change.Proposed && change.Kind != golden.Kept {
		m.unwritten(&o)
	}
	if m.last.change.Notable() {
		o.Golden = m.last.change.String()
	}
	return o
}

// unwritten makes an outcome the one of the file as it is. The comparison was with what an update
// would write, so that the rest of the spec runs, but the spec fails at its end.
func (m *comparer) unwritten(o *Outcome) {
	c := m.last.change
	o.Expected, o.Report = m.last.reference.String(), m.last.held
	if m.last.old != nil {
		was, _ := sideOf(m.last.old) // a run
		o.Expected += ", made by " + was.String()
	}
	if o.Report.Verdict != compare.Fail { // it could not be judged
		o.Report = compare.Report{Verdict: compare.Fail,
			Reason: cmp.Or(c.Reason, c.Damage, "the golden file does not exist")}
	}
}

// maker names the run that wrote the expected file, where the format records it. Other formats
// give the file's own name instead, which would only repeat it.
func (m *comparer) maker() string {
	if m.last.expected.run == nil {
		return ""
	}
	switch r := m.reference.(type) {
	case given:
		return ""
	case savedFile:
		if m.last.expected.made.Backend == filepath.Base(r.path) {
			return ""
		}
	}
	return m.last.expected.String()
}
