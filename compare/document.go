package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/schema"
)

// Document is the content of a report file or a report entry: comparisons, or the error that
// prevented them. Its JSON follows docs/report.schema.json.
type Document struct {
	Pairs []Pair
	// Notes contain further information for the reader.
	Notes []string
	// Timings contains the inference times of the compared runs, except runs whose times are unknown.
	Timings []Timing
	// Err says why nothing could be compared. If it is set, Pairs is empty.
	Err error
}

// Pair contains the comparison of two runs.
type Pair struct {
	// Actual and Expected name the two runs. Expected is empty if a run was checked on its own, as
	// with Finite.
	Actual, Expected string
	// Engine, Version and Model say what computed the actual outputs. They are empty for bare
	// tensors, and in reports that were read from JSON.
	Engine, Version, Model string
	// Golden says how an update changed the golden file; it is empty without an update.
	Golden string
	Report Report
}

// Verdict returns "error" if nothing could be compared, "fail" if a pair fails, else "pass".
func (d Document) Verdict() string {
	if d.Err != nil {
		return "error"
	}
	if slices.ContainsFunc(d.Pairs, func(p Pair) bool { return p.Report.Verdict == Fail }) {
		return string(Fail)
	}
	return string(Pass)
}

// Reason returns one line that says why the verdict is not "pass". If there are several pairs, it
// names the pairs that fail.
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

// jsonDocument lists the outputs of all pairs in one array, each with the index of its pair. A
// script that needs only the outputs can then ignore the pairs.
type jsonDocument struct {
	schema.Schema
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
	Notes    []string `json:"notes,omitempty"` // the comparison's notes
}

// MarshalJSON writes the document, with the statistics of every output.
func (d Document) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	_, err := d.WriteTo(&b)
	return b.Bytes(), err
}

// WriteTo writes the same JSON as [Document.MarshalJSON], but indented. It computes the statistics
// of one output at a time, to save memory.
func (d Document) WriteTo(w io.Writer) (n int64, err error) {
	put := func(parts ...[]byte) {
		for _, part := range parts {
			if err == nil {
				var more int
				more, err = w.Write(part)
				n += int64(more)
			}
		}
	}
	text, err := json.MarshalIndent(d.head(), "", "  ")
	end := []byte("]\n}")
	put(bytes.TrimSuffix(text, end)) // "outputs": [ is last
	separator := "\n    "
	for written := range d.outputs() {
		if err == nil {
			text, err = json.MarshalIndent(written, "    ", "  ")
		}
		put([]byte(separator), text)
		separator, end = ",\n    ", []byte("\n  ]\n}")
	}
	put(end, []byte("\n"))
	return n, err
}

// head returns the document without its outputs.
func (d Document) head() jsonDocument {
	j := jsonDocument{Schema: schema.Of("comparison"), Verdict: d.Verdict(), Reason: d.Reason(),
		Notes: d.Notes, Timings: d.Timings, Pairs: []jsonPair{}, Outputs: []jsonOutput{}}
	if d.Err != nil {
		d.Pairs = nil
	}
	for _, p := range d.Pairs {
		j.Pairs = append(j.Pairs, jsonPair{p.Actual, p.Expected, p.Golden, p.Report.Verdict,
			p.Report.Reason, p.Report.LeftOut, p.Report.Notes})
	}
	return j
}

// outputs iterates over the outputs of all pairs.
func (d Document) outputs() iter.Seq[jsonOutput] {
	return func(yield func(jsonOutput) bool) {
		for i, p := range d.Pairs {
			for _, output := range p.Report.Outputs {
				written := output.json()
				written.Pair = &i
				if d.Err != nil || !yield(written) {
					return
				}
			}
		}
	}
}

// UnmarshalJSON reads the JSON that MarshalJSON wrote. The JSON does not contain the tensors.
// UnmarshalJSON returns an error for a later version, for a document of a different kind, and for
// an output that refers to a missing pair.
func (d *Document) UnmarshalJSON(text []byte) error {
	var j jsonDocument
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("compare: reading a report: %w", err)
	}
	switch {
	case j.Kind != "comparison":
		return fmt.Errorf("compare: the report's kind is %q, expected comparison", j.Kind)
	case j.Version < 1 || j.Version > schema.Version:
		return fmt.Errorf("compare: the report has version %d; this modelparity reads 1 to %d",
			j.Version, schema.Version)
	}
	*d = Document{Notes: j.Notes, Timings: j.Timings}
	if j.Verdict == "error" {
		d.Err = fmt.Errorf("%s", j.Reason)
	}
	for _, p := range j.Pairs {
		d.Pairs = append(d.Pairs, Pair{Actual: p.Actual, Expected: p.Expected, Golden: p.Golden,
			Report: Report{Verdict: p.Verdict, Reason: p.Reason, LeftOut: p.LeftOut, Notes: p.Notes}})
	}
	for _, output := range j.Outputs {
		if output.Pair == nil || *output.Pair < 0 || *output.Pair >= len(d.Pairs) {
			return fmt.Errorf("compare: the report's output %q belongs to none of its %d pairs",
				output.Name, len(d.Pairs))
		}
		report := &d.Pairs[*output.Pair].Report
		report.Outputs = append(report.Outputs, output.output())
	}
	return nil
}
