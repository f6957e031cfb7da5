package ginkgoreport

import (
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/matchers"
)

// The names of the report entries, to find them by in a JSON or JUnit report.
const (
	ComparisonEntry = reportfile.Comparison
	WrittenEntry    = "modelparity: golden written"
)

// unwrittenEntry is of a golden file that an update would write, or that it kept as it is.
const unwrittenEntry = "modelparity: golden not written"

// Attach adds the outcome of a comparison to the report of the running spec, with all statistics.
// Consoles show one line of it where the spec fails or under -v; JSON and JUnit reports have it
// always, as matchers.Outcome, which reads it back. It is made for ReportTo and needs a running
// spec.
func Attach(outcome matchers.Outcome) {
	value := comparison{text: line(outcome)}
	// Now, not when Ginkgo writes its reports: until then the entry would keep every tensor alive.
	var err error
	if value.json, err = json.Marshal(outcome); err != nil {
		ginkgo.Fail("modelparity: the outcome cannot be reported: " + err.Error())
	}
	ginkgo.AddReportEntry(ComparisonEntry, value, here(),
		ginkgo.ReportEntryVisibilityFailureOrVerbose)
}

// here is the running spec. The caller's own line lies in a matcher and would tell nobody anything.
func here() any { return ginkgo.CurrentSpecReport().LeafNodeLocation }

// comparison is an outcome as a report entry: JSON for machines, one line for people.
type comparison struct {
	json json.RawMessage
	text string
}

// MarshalJSON is the outcome's.
func (c comparison) MarshalJSON() ([]byte, error) { return c.json, nil }

// String is what consoles show.
func (c comparison) String() string { return c.text }

// line says what came of a comparison.
func line(o matchers.Outcome) string {
	text := fmt.Sprintf("%s: %s against %s", o.Report.Verdict, o.Actual, o.Expected)
	if o.Report.Reason != "" {
		text += ": " + o.Report.Reason
	}
	return text
}

// entryOf is the entry of a change.
func entryOf(change golden.Change) written {
	return written{change.Path, change.String(), &change}
}

// written is what an update did to a golden file, or would do, as a report entry.
type written struct {
	Golden string         `json:"golden"`           // its path
	Text   string         `json:"text"`             // what was done, and how far each output moved
	Change *golden.Change `json:"change,omitempty"` // the same for machines, with all that is known
}

// String is what consoles show.
func (w written) String() string { return w.Text }

// writtenIn reads the entries back from a spec's report. In a parallel run they came from another
// process as JSON, so that JSON is what is read, always.
func writtenIn(spec ginkgo.SpecReport) ([]written, error) {
	var found []written
	for _, entry := range spec.ReportEntries {
		if entry.Name != WrittenEntry && entry.Name != unwrittenEntry {
			continue
		}
		text, err := json.Marshal(entry.Value.GetRawValue())
		if err != nil {
			return nil, err
		}
		var w written
		if err := json.Unmarshal(text, &w); err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	return found, nil
}
