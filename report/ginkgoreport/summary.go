package ginkgoreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// summary is what a suite has to say beyond its verdict.
type summary struct {
	Skipped  []skipped `json:"skipped,omitempty"`
	Written  []written `json:"written,omitempty"`
	Manifest string    `json:"manifest,omitempty"` // of what the specs used, where it was recorded
	Unused   []string  `json:"unused,omitempty"`   // golden files that no complete run used
	Ran      []*cell   `json:"ran,omitempty"`
	NoEngine bool      `json:"no_engine,omitempty"` // specs were skipped, and no engine ran
}

// noEngine is what is said of a suite that would otherwise read "ok".
const noEngine = "no engine ran a model"

// othersRun is the reason for all specs of other shards.
const othersRun = "other shards run them"

// skipped is the specs that were skipped for one reason.
type skipped struct {
	Reason string `json:"reason"`
	Specs  int    `json:"specs"`
}

func (s summary) empty() bool { return s.String() == "" }

// summarise collects the skip reasons in the order of their first spec, and the written files. A
// spec that was merely filtered out gave no reason and is not listed.
func summarise(r ginkgo.Report) (summary, error) {
	var s summary
	at := map[string]int{}
	for _, spec := range r.SpecReports {
		files, err := writtenIn(spec)
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
		i, known := at[reason]
		if !known {
			i = len(s.Skipped)
			at[reason] = i
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

// String is what consoles show.
func (s summary) String() string {
	var lines []string
	for _, skip := range s.Skipped {
		lines = append(lines, fmt.Sprintf("skipped %s: %s", plural(skip.Specs, "spec"), skip.Reason))
	}
	for _, file := range s.Written {
		lines = append(lines, file.Text)
	}
	lines = append(lines, s.use()...)
	if len(s.Ran) > 0 {
		lines = append(lines, table(s.Ran, "", "  ", "", false)...)
	}
	if s.NoEngine {
		lines = append(lines, noEngine)
	}
	return strings.Join(lines, "\n")
}

// use is a line for the manifest and for each unused file.
func (s summary) use() (lines []string) {
	if s.Manifest != "" {
		lines = append(lines, "golden use recorded: "+s.Manifest)
	}
	for _, path := range s.Unused {
		lines = append(lines, "golden unused: "+path)
	}
	if len(s.Unused) > 0 {
		lines = append(lines, "golden: why: GOLDEN_UPDATE=usage go test, then modelparity golden gc")
	}
	return lines
}

// markdown is the summary for a job's page, the messages of failed specs among it. It is empty
// where all is well, nothing ran in an engine, and nothing was skipped, written or unused.
func (s summary) markdown(r ginkgo.Report) string {
	var b strings.Builder
	for _, spec := range r.SpecReports.WithState(types.SpecStateFailureStates) {
		fmt.Fprintf(&b, "#### failed: %s\n\n%s\n\n", spec.FullText(), fenced(spec.Failure.Message))
	}
	for _, skip := range s.Skipped {
		fmt.Fprintf(&b, "- skipped %s: %s\n", plural(skip.Specs, "spec"), oneLine(skip.Reason))
	}
	for _, file := range s.Written {
		fmt.Fprintf(&b, "- %s\n", oneLine(file.Text))
	}
	for _, line := range s.use() {
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

// fenced is a code block that the text cannot end: its fence is longer than any in the text.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + text + "\n" + fence
}

// oneLine keeps a reason inside its list item.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
