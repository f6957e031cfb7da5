package compare

import (
	"encoding/json"
	"fmt"
	"strings"
)

// SchemaVersion is the version of docs/report.schema.json that this package writes. It grows when a
// reader of an older one would misread a newer document.
const SchemaVersion = 1

// Schema is how a document says what it is; it leads every document.
type Schema struct {
	Version int    `json:"version"` // see [SchemaVersion]
	Kind    string `json:"kind"`    // "comparison", "divergence", "vote", "relations" or "nonfinite"
}

// SchemaOf is the head of a document of a kind.
func SchemaOf(kind string) Schema { return Schema{Version: SchemaVersion, Kind: kind} }

// unusable is a document that holds only an error.
type unusable struct {
	Schema
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

// Unusable is the document of a kind that could not be made, for json.Marshal.
func Unusable(kind string, err error) any { return unusable{SchemaOf(kind), "error", err.Error()} }

// Document is what a report file or a report entry holds: comparisons, or the reason there are
// none. As JSON it follows docs/report.schema.json.
type Document struct {
	Pairs []Pair
	// Notes are what the reader should know besides.
	Notes []string
	// Timings are of the runs that were compared, where their times are known.
	Timings []Timing
	// Err is why nothing could be compared. Where there is one, Pairs is left out.
	Err error
}

// Pair is the comparison of two runs.
type Pair struct {
	// Actual and Expected name the two runs. Expected is empty for a run that was looked at alone.
	Actual, Expected string
	// Golden says what an update did to the golden file, where there was one.
	Golden string
	Report Report
}

// Verdict is "pass", or "fail" where one pair fails, or "error".
func (d Document) Verdict() string {
	if d.Err != nil {
		return "error"
	}
	for _, p := range d.Pairs {
		if p.Report.Verdict == Fail {
			return string(Fail)
		}
	}
	return string(Pass)
}

// Reason is one line that says why the verdict is not pass; of several pairs, those that fail are
// named.
func (d Document) Reason() string {
	if d.Err != nil {
		return d.Err.Error()
	}
	var reasons []string
	for _, p := range d.Pairs {
		switch {
		case p.Report.Verdict == Pass:
		case len(d.Pairs) == 1:
			reasons = append(reasons, p.Report.Reason)
		default:
			reasons = append(reasons, fmt.Sprintf("%s against %s: %s", p.Actual, p.Expected,
				p.Report.Reason))
		}
	}
	return strings.Join(reasons, "; ")
}

// jsonDocument has the outputs of all pairs in one list, each with the number of its pair: a script
// that wants the outputs need not know of pairs.
type jsonDocument struct {
	Schema
	Verdict string       `json:"verdict"`
	Reason  string       `json:"reason"`
	Notes   []string     `json:"notes,omitempty"`
	Timings []Timing     `json:"timings,omitempty"`
	Pairs   []jsonPair   `json:"pairs"`
	Outputs []jsonOutput `json:"outputs"`
}

type jsonPair struct {
	Actual   string   `json:"actual"`
	Expected string   `json:"expected"`
	Golden   string   `json:"golden,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason"`
	LeftOut  []string `json:"left_out,omitempty"`
	Notes    []string `json:"notes,omitempty"` // of the comparison
}

// MarshalJSON writes the document, with the statistics of every output.
func (d Document) MarshalJSON() ([]byte, error) {
	j := jsonDocument{Schema: SchemaOf("comparison"), Verdict: d.Verdict(), Reason: d.Reason(),
		Notes: d.Notes, Timings: d.Timings, Pairs: []jsonPair{}, Outputs: []jsonOutput{}}
	if d.Err != nil {
		d.Pairs = nil
	}
	for i, p := range d.Pairs {
		j.Pairs = append(j.Pairs, jsonPair{p.Actual, p.Expected, p.Golden, p.Report.Verdict,
			p.Report.Reason, p.Report.LeftOut, p.Report.Notes})
		for _, output := range p.Report.Outputs {
			written := output.json()
			written.Pair = &i
			j.Outputs = append(j.Outputs, written)
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote, without the tensors. A later version, another kind of
// document and an output of a pair that is not there are errors.
func (d *Document) UnmarshalJSON(text []byte) error {
	var j jsonDocument
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("compare: a report: %w", err)
	}
	switch {
	case j.Kind != "comparison":
		return fmt.Errorf("compare: a report of kind %q, want comparison", j.Kind)
	case j.Version < 1 || j.Version > SchemaVersion:
		return fmt.Errorf("compare: a report of version %d, and this modelparity reads 1 to %d",
			j.Version, SchemaVersion)
	}
	*d = Document{Notes: j.Notes, Timings: j.Timings}
	if j.Verdict == "error" {
		d.Err = fmt.Errorf("%s", j.Reason)
	}
	for _, p := range j.Pairs {
		d.Pairs = append(d.Pairs, Pair{p.Actual, p.Expected, p.Golden,
			Report{Verdict: p.Verdict, Reason: p.Reason, LeftOut: p.LeftOut, Notes: p.Notes}})
	}
	for _, output := range j.Outputs {
		if output.Pair == nil || *output.Pair < 0 || *output.Pair >= len(d.Pairs) {
			return fmt.Errorf("compare: a report: output %q belongs to none of its %d pairs", output.Name,
				len(d.Pairs))
		}
		report := &d.Pairs[*output.Pair].Report
		report.Outputs = append(report.Outputs, output.output())
	}
	return nil
}
