package locate

import (
	"fmt"
	"slices"
	"strings"
)

// LintLevel is the severity of an entry.
type LintLevel string

// The levels, with Polygraphy's names.
const (
	LintException LintLevel = "exception" // the model is not valid
	LintWarning   LintLevel = "warning"
	LintInfo      LintLevel = "info"
)

// LintSource says which check produced an entry.
type LintSource string

// The sources have the names of Polygraphy's equivalent checks, but no Python runs.
const (
	LintLoader       LintSource = "onnx_loader"       // the file does not load
	LintChecker      LintSource = "onnx_checker"      // the graph breaks ONNX's rules
	LintGraphSurgeon LintSource = "onnx_graphsurgeon" // duplicate names, unused nodes
)

// LintEntry is one finding.
type LintEntry struct {
	Level   LintLevel  `json:"level"`
	Source  LintSource `json:"source"` // one of the above, or the engine's name: "onnxruntime"
	Message string     `json:"message"`
	Nodes   []string   `json:"nodes,omitempty"` // empty for the whole model
}

// LintReport holds all findings. Its JSON follows the schema of `polygraphy check lint`.
type LintReport struct {
	Summary LintSummary `json:"summary"`
	Entries []LintEntry `json:"lint_entries"`
}

// LintSummary names the nodes that were run. Nodes that depend on a failing one are in neither
// list. Unnamed nodes have Polygraphy's names: polygraphy_unnamed_node_ and the index.
type LintSummary struct {
	Passing []string `json:"passing"`
	Failing []string `json:"failing"`
}

// Valid reports whether no entry is an exception.
func (r *LintReport) Valid() bool {
	return !slices.ContainsFunc(r.Entries, func(e LintEntry) bool {
		return e.Level == LintException
	})
}

// Text returns one line per entry, and a last one with the verdict.
func (r *LintReport) Text() string {
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
func (r *LintReport) Headline() string {
	verdict := "PASSED"
	if !r.Valid() {
		verdict = "FAILED"
	}
	return fmt.Sprintf("%s: %d nodes pass, %d fail, %d entries", verdict, len(r.Summary.Passing),
		len(r.Summary.Failing), len(r.Entries))
}

// add adds an entry, and joins the lines of its message.
func (r *LintReport) add(level LintLevel, source LintSource, message string, nodes ...string) {
	message = strings.Join(strings.Fields(message), " ")
	r.Entries = append(r.Entries, LintEntry{level, source, message, nodes})
	if level != LintException {
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
func (r *LintReport) pass(node string) {
	if !slices.Contains(r.Summary.Failing, node) {
		r.Summary.Passing = append(r.Summary.Passing, node)
	}
}
