package lint

import (
	"fmt"
	"slices"
	"strings"
)

// Level is the severity of an entry.
type Level string

// The levels, with Polygraphy's names.
const (
	Exception Level = "exception" // the model is not valid
	Warning   Level = "warning"
	Info      Level = "info"
)

// Source says which check produced an entry.
type Source string

// The sources have the names of Polygraphy's equivalent checks, but no Python runs.
const (
	Loader       Source = "onnx_loader"       // the file does not load
	Checker      Source = "onnx_checker"      // the graph breaks ONNX's rules
	GraphSurgeon Source = "onnx_graphsurgeon" // duplicate names, unused nodes
)

// Entry is one finding.
type Entry struct {
	Level   Level    `json:"level"`
	Source  Source   `json:"source"` // one of the above, or the engine's name: "onnxruntime"
	Message string   `json:"message"`
	Nodes   []string `json:"nodes,omitempty"` // empty for the whole model
}

// Report holds all findings. Its JSON follows the schema of `polygraphy check lint`.
type Report struct {
	Summary Summary `json:"summary"`
	Entries []Entry `json:"lint_entries"`
}

// Summary names the nodes that were run. Nodes that depend on a failing one are in neither
// list. Unnamed nodes have Polygraphy's names: polygraphy_unnamed_node_ and the index.
type Summary struct {
	Passing []string `json:"passing"`
	Failing []string `json:"failing"`
}

// Valid reports whether no entry is an exception.
func (r *Report) Valid() bool {
	return !slices.ContainsFunc(r.Entries, func(e Entry) bool {
		return e.Level == Exception
	})
}

// Text returns one line per entry, and a last one with the verdict.
func (r *Report) Text() string {
	var b strings.Builder
	for _, e := range r.Entries {
		fmt.Fprintf(&b, "%s: ", e.Level)
		if len(e.Nodes) > 0 {
			fmt.Fprintf(&b, "%s: ", strings.Join(e.Nodes, ", "))
		}
		fmt.Fprintf(&b, "%s (%s)\n", e.Message, e.Source)
	}
	return b.String() + r.Headline() + "\n"
}

// Headline returns the verdict in one line.
func (r *Report) Headline() string {
	verdict := "PASSED"
	if !r.Valid() {
		verdict = "FAILED"
	}
	return fmt.Sprintf("%s: %d nodes pass, %d fail, %d entries", verdict, len(r.Summary.Passing),
		len(r.Summary.Failing), len(r.Entries))
}

// add adds an entry, and joins the lines of its message.
func (r *Report) add(level Level, source Source, message string, nodes ...string) {
	message = strings.Join(strings.Fields(message), " ")
	r.Entries = append(r.Entries, Entry{level, source, message, nodes})
	if level != Exception {
		return
	}
	for _, n := range nodes {
		r.Summary.Passing = slices.DeleteFunc(r.Summary.Passing, func(p string) bool { return p == n })
		if !slices.Contains(r.Summary.Failing, n) {
			r.Summary.Failing = append(r.Summary.Failing, n)
		}
	}
}

// pass records a node that runs.
func (r *Report) pass(node string) {
	if !slices.Contains(r.Summary.Failing, node) {
		r.Summary.Passing = append(r.Summary.Passing, node)
	}
}
