package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
)

// Level is the severity of an entry.
type Level string

// The levels, with Polygraphy's names.
const (
	Exception Level = "exception" // the model is invalid
	Warning   Level = "warning"
)

// Source names the check that produced an entry.
type Source string

// Polygraphy uses the same names for its equivalent checks. The checks here run no Python code.
const (
	Loader       Source = "onnx_loader"       // the file does not load
	Checker      Source = "onnx_checker"      // the graph breaks ONNX's rules
	GraphSurgeon Source = "onnx_graphsurgeon" // duplicate names, unused nodes
)

// Entry is one problem that a check found.
type Entry struct {
	Level   Level    `json:"level"`
	Source  Source   `json:"source"` // one of the constants, or the engine's name: "onnxruntime"
	Message string   `json:"message"`
	Nodes   []string `json:"nodes,omitempty"` // empty if the entry is about the whole model
}

// Report holds everything that the checks found. Its JSON follows the schema of `polygraphy check
// lint`.
type Report struct {
	Summary Summary `json:"summary"`
	Entries []Entry `json:"lint_entries"`
}

// Summary lists the nodes that passed and the nodes that failed. Nodes that depend on a failing
// node were not run and are in neither list. Unnamed nodes have the names that Polygraphy gives
// them: polygraphy_unnamed_node_ and the index.
type Summary struct {
	Passing []string `json:"passing"`
	Failing []string `json:"failing"`
}

// Valid reports whether the model is valid: whether no entry has the level [Exception].
func (r *Report) Valid() bool {
	return !slices.ContainsFunc(r.Entries, func(e Entry) bool {
		return e.Level == Exception
	})
}

// Text returns one line for each entry and a last line with the verdict.
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

// Headline returns the verdict as one line.
func (r *Report) Headline() string {
	verdict := "PASSED"
	if !r.Valid() {
		verdict = "FAILED"
	}
	return fmt.Sprintf("%s: nodes: %d passed, %d failed; %s", verdict, len(r.Summary.Passing),
		len(r.Summary.Failing), figures.Plural(len(r.Entries), "finding"))
}

// add adds an entry whose message is on one line.
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

// pass adds a node to the nodes that passed, unless the node is among those that failed.
func (r *Report) pass(node string) {
	if !slices.Contains(r.Summary.Failing, node) {
		r.Summary.Passing = append(r.Summary.Passing, node)
	}
}
