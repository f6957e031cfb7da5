package matchers

import (
	"cmp"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// outcome puts the last comparison into words.
func (m *comparer) outcome() compare.Pair {
	o := compare.Pair{Actual: m.last.actual.String(), Expected: m.last.reference.String(),
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
func (m *comparer) unwritten(o *compare.Pair) {
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
