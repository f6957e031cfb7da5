package ginkgoreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// summary lists what Ginkgo's own report of a suite does not.
type summary struct {
	Skipped  []skipped `json:"skipped,omitempty"`
	Written  []written `json:"written,omitempty"`
	Unused   []string  `json:"unused,omitempty"`    // golden files that no spec of a complete run used
	Ran      []*cell   `json:"ran,omitempty"`       // the results of each model in each engine
	NoEngine bool      `json:"no_engine,omitempty"` // specs were skipped, and no engine ran
}

// noEngine is the warning that no engine ran in a suite that go test reports as "ok".
const noEngine = "no engine ran a model"

// othersRun is the skip reason for specs that belong to other shards.
const othersRun = "other shards run them"

// skipped counts the specs skipped for one reason.
type skipped struct {
	Reason string `json:"reason"`
	Specs  int    `json:"specs"`
}

// summarise collects the skip reasons, in the order of the specs, and the files that were written.
// Specs excluded by a filter have no reason and are not listed.
func summarise(r ginkgo.Report) (summary, error) {
	var s summary
	for _, spec := range r.SpecReports {
		files, err := entriesOf[written](spec, WrittenEntry, unwrittenEntry)
		if err != nil {
			return summary{}, err
		}
		s.Written = append(s.Written, files...)
		reason := strings.TrimSpace(spec.Failure.Message)
		if !spec.State.Is(types.SpecStateSkipped) || reason == "" {
			continue
		}
		if reportfile.IsElsewhere(reason) {
			reason = othersRun
		}
		i := slices.IndexFunc(s.Skipped, func(skip skipped) bool { return skip.Reason == reason })
		if i < 0 {
			i = len(s.Skipped)
			s.Skipped = append(s.Skipped, skipped{Reason: reason})
		}
		s.Skipped[i].Specs++
	}
	var err error
	s.Ran, err = cells(r)
	s.NoEngine = len(s.Ran) == 0 && slices.ContainsFunc(s.Skipped, func(skip skipped) bool {
		return skip.Reason != othersRun
	})
	return s, err
}

// String returns the text for consoles.
func (s summary) String() string {
	lines := s.items()
	if len(s.Ran) > 0 {
		lines = append(lines, table(s.Ran, "", "  ", "", false)...)
	}
	if s.NoEngine {
		lines = append(lines, noEngine)
	}
	return names.Escape(strings.Join(lines, "\n"))
}

// items lists the skipped specs, and the golden files that were written or not used.
func (s summary) items() (lines []string) {
	for _, skip := range s.Skipped {
		specs := figures.Plural(skip.Specs, "spec")
		lines = append(lines, fmt.Sprintf("skipped %s: %s", specs, skip.Reason))
	}
	for _, file := range s.Written {
		lines = append(lines, file.Text)
	}
	for _, path := range s.Unused {
		lines = append(lines, "golden unused: "+names.Line(path))
	}
	return lines
}

// markdown returns the summary as Markdown for GitHub's job summary, with the messages of failed
// specs. It returns "" if there is nothing to report.
func (s summary) markdown(r ginkgo.Report) string {
	var b strings.Builder
	for _, spec := range r.SpecReports.WithState(types.SpecStateFailureStates) {
		fmt.Fprintf(&b, "#### failed: %s\n\n%s\n\n", spec.FullText(), fenced(spec.Failure.Message))
	}
	for _, line := range s.items() {
		fmt.Fprintf(&b, "- %s\n", oneLine(line))
	}
	if s.NoEngine {
		fmt.Fprintf(&b, "\n**%s**\n", noEngine)
	}
	if len(s.Ran) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(table(s.Ran, "| ", " | ", " |", true), "\n"))
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("### %s\n\n%s\n", r.SuiteDescription, b.String())
}

// fenced puts text into a code block with a fence longer than any in the text.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + names.Escape(text) + "\n" + fence
}

// oneLine joins the lines of a text, so that it fits into a list item.
func oneLine(text string) string { return names.Line(strings.Join(strings.Fields(text), " ")) }
