package matchers

import (
	"cmp"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// outcome returns the last comparison in the form that reports contain.
func (m *comparer) outcome() compare.Pair {
	made := m.last.actual.made
	o := compare.Pair{Actual: m.last.actual.String(), Expected: m.last.reference.String(),
		Engine: made.Backend, Version: made.Version, Model: made.Model, Report: m.last.report}
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

// unwritten changes o so that it describes the comparison of the run with the golden file on disk.
// This is needed in the mode [golden.Diff], which leaves the file unchanged. In this mode, Match
// compares the run with the content that an update would write, so that Match passes and the rest
// of the spec runs. The report must still show the comparison with the file.
func (m *comparer) unwritten(o *compare.Pair) {
	c := m.last.change
	o.Expected = m.last.reference.String()
	if c.Was != nil {
		o.Expected += ", made by " + describeRun(*c.Was)
	}
	if m.last.held != nil {
		o.Report = *m.last.held
	} else { // the comparison with the old file was not possible
		o.Report = compare.Report{Verdict: compare.Fail,
			Reason: cmp.Or(c.Damage, "the golden file does not exist")}
	}
}

// maker describes the run that wrote the expected file. It returns "" if the expected side is not a
// file, or if the file's format does not record the run.
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
