package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/internal/terminal"
)

// The states of mutants, which are files with one planted fault. A mutant is killed if a spec fails
// on it, and survives otherwise. It is invisible, and not tested, if it changes the outputs too
// little to be distinguished from rounding noise.
const (
	killed    = "killed"
	survived  = "survived"
	invisible = "invisible"
)

// Report says how many of the mutants the specs of one or more suites detect.
type Report struct {
	schema.Schema
	Verdict string `json:"verdict"` // "fail" if a mutant survived
	Reason  string `json:"reason"`

	Killed     int          `json:"killed"`
	Survived   int          `json:"survived"`
	Invisible  int          `json:"invisible"`
	Mutants    []*Mutant    `json:"mutants"`
	Specs      []Spec       `json:"specs"`
	NotMutated []NotMutated `json:"not_mutated"`
}

// Mutant describes a file with one planted fault, and whether the specs detected the fault.
type Mutant struct {
	Kind   string  `json:"kind"`
	File   string  `json:"file"` // the original
	Text   string  `json:"text"` // what is changed
	State  string  `json:"state"`
	Effect *Effect `json:"effect,omitempty"` // nil if unknown; of a golden file, the difference
	// KilledBy lists the specs that failed.
	KilledBy []string `json:"killed_by,omitempty"`
	// Atol is a limit on absolute tolerances: an elementwise comparison of Effect.Output with a
	// tolerance below it would have failed. It is set for survivors.
	Atol float64 `json:"atol,omitempty"`

	of   *subject
	path string
	ran  []*unit
}

// Spec counts the mutants on which a spec failed.
type Spec struct {
	Name   string `json:"name"`
	Killed int    `json:"killed"`
	Ran    int    `json:"ran"` // on how many mutants
}

// NotMutated names a file or spec that the report does not cover, and says why.
type NotMutated struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

func (r *running) report(units []*unit) *Report {
	found := &Report{Schema: schema.Of("mutation"), Verdict: "pass", Mutants: r.mutants,
		Specs: []Spec{}, NotMutated: append([]NotMutated{}, r.bypass...)}
	if found.Mutants == nil {
		found.Mutants = []*Mutant{}
	}
	for _, m := range r.mutants {
		slices.Sort(m.KilledBy)
		switch m.State {
		case killed:
			found.Killed++
		case invisible:
			found.Invisible++
		default:
			found.Survived++
			if m.Effect != nil && m.Effect.Change > 0 {
				m.Atol = m.Effect.Change
			}
		}
	}
	for _, u := range units {
		s := Spec{Name: u.name}
		for _, m := range r.mutants {
			if slices.Contains(m.ran, u) {
				s.Ran++
			}
			if slices.Contains(m.KilledBy, u.name) {
				s.Killed++
			}
		}
		if s.Ran > 0 {
			found.Specs = append(found.Specs, s)
		}
	}
	switch {
	case found.Survived > 0:
		found.Verdict, found.Reason = "fail", fmt.Sprintf("%d of %d mutants survived",
			found.Survived, found.Killed+found.Survived)
	case found.Killed == 0:
		found.Verdict, found.Reason = "error", "mutate can plant no visible fault in the specs' files"
	}
	return found
}

// Headline returns one line with the result.
func (r *Report) Headline() string {
	if r.Killed+r.Survived == 0 {
		return fmt.Sprintf("no mutants were tested; %d were skipped, because they change every "+
			"output by less than %d times its noise", r.Invisible, visible)
	}
	return fmt.Sprintf("killed %d of %d mutants (%s); %d more change every output by less than %d "+
		"times its noise",
		r.Killed, r.Killed+r.Survived, figures.Percent(float64(r.Killed)/float64(r.Killed+r.Survived)),
		r.Invisible, visible)
}

// Text returns the report for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.Headline() + "\n")
	rows := [][]string{{"kind", killed, survived, invisible}}
	for _, kind := range kinds {
		counts := map[string]int{}
		for _, m := range r.Mutants {
			if m.Kind == kind {
				counts[m.State]++
			}
		}
		if len(counts) > 0 {
			rows = append(rows, []string{kind, fmt.Sprint(counts[killed]), fmt.Sprint(counts[survived]),
				fmt.Sprint(counts[invisible])})
		}
	}
	table(&b, "", rows)
	if r.Survived > 0 {
		b.WriteString("\nsurvived:\n")
	}
	for _, m := range r.Mutants {
		if m.State == survived {
			fmt.Fprintf(&b, "  %s: %s: %s\n", m.File, m.Kind, m.Text)
			for _, line := range terminal.Wrapped(m.remedy(), 90) {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	rows = [][]string{{killed, "of", "spec"}}
	for _, s := range r.Specs {
		rows = append(rows, []string{fmt.Sprint(s.Killed), fmt.Sprint(s.Ran), s.Name})
	}
	table(&b, "\n", rows)
	if len(r.NotMutated) > 0 {
		b.WriteString("\nnot mutated:\n")
	}
	for _, n := range r.NotMutated {
		fmt.Fprintf(&b, "  %s: %s\n", n.What, n.Why)
	}
	return b.String()
}

// table writes a table after the given text. It writes neither if the table has only its first row,
// the column titles.
func table(b *strings.Builder, before string, rows [][]string) {
	if len(rows) > 1 {
		b.WriteString(before + strings.Join(figures.Table(rows), "\n") + "\n")
	}
}

// remedy says which check would have detected the planted fault that no spec detected.
func (m *Mutant) remedy() string {
	switch {
	case m.Kind == "golden":
		return fmt.Sprintf("the fault changes an output in the golden file by %s; an elementwise atol "+
			"below this change would have killed the mutant", figures.Short(m.Atol))
	case m.Effect == nil:
		return "the fault's effect is unknown, because ONNX Runtime did not run the model on the " +
			"specs' inputs"
	case m.Atol == 0:
		return fmt.Sprintf("the fault makes output %s infinite, NaN or of another shape, and no spec "+
			"compares that output with a golden file", m.Effect.Output)
	}
	times := "which has no noise"
	if m.Effect.Sigmas > 0 {
		times = fmt.Sprintf("%.3g times the noise", m.Effect.Sigmas)
	}
	return fmt.Sprintf("in ONNX Runtime without optimisation, the fault changes output %s by up to "+
		"%s, %s; a golden file of that run, with an elementwise atol below this change, would have "+
		"killed the mutant", m.Effect.Output, figures.Short(m.Atol), times)
}

func namesOf(units []*unit) (all []string) {
	for _, u := range units {
		all = append(all, u.name)
	}
	return all
}
