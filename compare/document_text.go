package compare

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
)

// From each of these levels on, [Document.Text] shows more. Every -v flag on the command line
// raises the level by 1.
const (
	passingLevel = 1 // adds the times, and the errors of the outputs that pass
	eachTime     = 4 // adds the engines with their options, and the time of each iteration
)

// Text returns the findings for people: the notes and the text of each pair's report. From level 1
// on, it adds the times, and the errors of the outputs that pass. From level 4 on, it adds the
// engines with their options, and the time of each iteration. It does not contain the verdict in
// one line; see [Document.Summary].
func (d Document) Text(level int) string {
	var b strings.Builder
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "note: %s\n", names.Escape(note))
	}
	if level >= passingLevel {
		for _, t := range d.Timings {
			if level >= eachTime {
				b.WriteString(t.details())
			}
			fmt.Fprintf(&b, "time: %s\n", names.Line(t.String()))
		}
	}
	for _, p := range d.Pairs {
		fmt.Fprintf(&b, "actual:   %s\n", names.Line(p.Actual))
		if p.Expected != "" { // a run that was checked on its own has no expected side
			fmt.Fprintf(&b, "expected: %s\n", names.Line(p.Expected))
		}
		b.WriteString(p.Report.Text())
		if level >= passingLevel {
			p.Report.passing(&b)
		}
	}
	return b.String()
}

// Summary returns the verdict in one line: "PASSED: 3 outputs match".
func (d Document) Summary() string {
	outputs, failed, left := 0, 0, ""
	for _, p := range d.Pairs {
		outputs += len(p.Report.Outputs)
		if n := len(p.Report.LeftOut); n > 0 {
			left = ", " + figures.Plural(n, "output") + " left out"
		}
		if p.Report.Verdict == Fail {
			failed++
		}
	}
	switch {
	case len(d.Pairs) == 0:
		return "DONE: ran without a comparison"
	case failed > 0 && len(d.Pairs) > 1:
		return fmt.Sprintf("FAILED: %d of %d comparisons", failed, len(d.Pairs))
	case failed > 0:
		return "FAILED: " + names.Line(d.Reason()) + left
	case outputs == 1:
		return "PASSED: 1 output matches" + left
	}
	return fmt.Sprintf("PASSED: %d outputs match%s", outputs, left)
}

// passing writes the error statistics of the outputs that pass. The text of an output that fails
// already contains its statistics.
func (r Report) passing(b *strings.Builder) {
	for _, output := range r.Outputs {
		if output.Verdict != Pass || output.Iteration == Averaged {
			continue
		}
		s := output.Statistics()
		fmt.Fprintf(b, "%s, iteration %d: %d elements\n", names.Line(output.Name), output.Iteration,
			s.Elements)
		for _, line := range s.errorLines() {
			b.WriteString("      " + line + "\n")
		}
	}
}
