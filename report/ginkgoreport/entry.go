package ginkgoreport

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/observed"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// These are the names of the report entries in JSON and JUnit reports.
const (
	ComparisonEntry = reportfile.Comparison
	WrittenEntry    = "modelparity: golden written"
)

// unwrittenEntry names the report entry for an update that did not write its golden file, because
// the old file already matched or because the mode is [golden.Diff].
const unwrittenEntry = "modelparity: golden not written"

// Attach adds a comparison, with all statistics, to the report of the running spec. Pass Attach to
// ReportTo. Attach works only while a spec runs. Ginkgo prints a line about the comparison if the
// spec fails or with -v. JSON and JUnit reports always contain the comparison, as a
// compare.Document.
//
// [Page] attaches every comparison itself; Attach then has no effect.
func Attach(pair compare.Pair) {
	if observed.Comparison == nil {
		attach(pair)
	}
}

func attach(pair compare.Pair) {
	value := comparison{text: line(pair)}
	// Encode now: if Ginkgo encoded it later, the entry would keep every tensor alive until then.
	text, err := json.Marshal(compare.Document{Pairs: []compare.Pair{pair}})
	value.json = escaped(text)
	if err != nil {
		ginkgo.Fail("modelparity: cannot report the comparison: " + err.Error())
	}
	ginkgo.AddReportEntry(ComparisonEntry, value, here(),
		ginkgo.ReportEntryVisibilityFailureOrVerbose)
}

// escaped escapes the characters in JSON text that could control a log or a page; the JSON values
// stay the same. Ginkgo copies entries into JUnit reports, which build servers show.
func escaped(text []byte) json.RawMessage { return json.RawMessage(names.Escape(string(text))) }

// here returns the location of the running spec, for report entries. Ginkgo would otherwise record
// its caller's location, which is inside a matcher.
func here() any { return ginkgo.CurrentSpecReport().LeafNodeLocation }

// comparison is the report entry for a comparison: JSON in reports, one line on consoles.
type comparison struct {
	json json.RawMessage
	text string
}

// MarshalJSON returns the comparison's JSON.
func (c comparison) MarshalJSON() ([]byte, error) { return c.json, nil }

// String describes the comparison in one line, for consoles.
func (c comparison) String() string { return c.text }

// line describes a comparison in one line.
func line(o compare.Pair) string {
	text := fmt.Sprintf("%s: %s against %s", o.Report.Verdict, names.Line(o.Actual),
		names.Line(o.Expected))
	if o.Report.Reason != "" {
		text += ": " + o.Report.Reason
	}
	return names.Escape(text)
}

// entryOf returns a change's report entry.
func entryOf(change golden.Change) written {
	return written{change.Path, change.String(), &change}
}

// written is a report entry about an update of a golden file, whether or not the file was written.
type written struct {
	Golden string         `json:"golden"`           // path of the file
	Text   string         `json:"text"`             // what was done and how far each output moved
	Change *golden.Change `json:"change,omitempty"` // the change in full, for programs
}

// MarshalJSON returns the entry's JSON.
func (w written) MarshalJSON() ([]byte, error) {
	type fields written
	text, err := json.Marshal(fields(w))
	return escaped(text), err
}

// String returns the text for consoles.
func (w written) String() string { return names.Escape(w.Text) }

// entriesOf decodes the entries of a spec that have one of the names. An entry from a different
// process is JSON.
func entriesOf[E any](spec ginkgo.SpecReport, names ...string) (all []E, err error) {
	for _, entry := range spec.ReportEntries {
		if !slices.Contains(names, entry.Name) {
			continue
		}
		var one E
		text, err := json.Marshal(entry.Value.GetRawValue())
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
