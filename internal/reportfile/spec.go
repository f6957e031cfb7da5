package reportfile

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// IsSpec reports whether s is a spec and not a node such as BeforeSuite.
func (s Spec) IsSpec() bool { return s.LeafNodeType == "It" }

// Count returns the number of specs in the report.
func (s Suite) Count() (n int) {
	for _, spec := range s.Specs {
		if spec.IsSpec() {
			n++
		}
	}
	return n
}

// Failed reports whether the spec or node failed.
func (s Spec) Failed() bool { return slices.Contains(failures, s.State) }

// FullText returns the texts of the containers and the spec, joined by spaces.
func (s Spec) FullText() string {
	texts := slices.DeleteFunc(append(slices.Clone(s.ContainerHierarchyTexts), s.LeafNodeText),
		func(text string) bool { return text == "" })
	return strings.Join(texts, " ")
}

// Labels returns the labels of the containers and the spec, without duplicates.
func (s Spec) Labels() (labels []string) {
	for _, some := range append(slices.Clone(s.ContainerHierarchyLabels), s.LeafNodeLabels) {
		for _, label := range some {
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return labels
}

// Reason returns why the spec was skipped. It returns "" if the spec was not skipped, or if a
// filter skipped it.
func (s Spec) Reason() string {
	if s.State != Skipped || s.Failure == nil {
		return ""
	}
	return s.Failure.Message
}

// Entries returns the report entries with the given name.
func (s Spec) Entries(name string) (found []Entry) {
	for _, entry := range s.ReportEntries {
		if entry.Name == name {
			found = append(found, entry)
		}
	}
	return found
}

// Comparisons returns the comparisons that matchers reported, in order.
func (s Spec) Comparisons() (found []compare.Document, err error) {
	for _, entry := range s.Entries(Comparison) {
		var d compare.Document
		if err := json.Unmarshal(entry.Value, &d); err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}

// UnmarshalJSON reads an entry in Ginkgo's format, whose value is JSON inside a string.
func (e *Entry) UnmarshalJSON(text []byte) error {
	var j struct {
		Name  string
		Value struct{ AsJSON, Representation string }
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*e = Entry{Name: j.Name, Text: j.Value.Representation, Value: json.RawMessage("null")}
	if j.Value.AsJSON != "" {
		e.Value = json.RawMessage(j.Value.AsJSON)
	}
	return nil
}
