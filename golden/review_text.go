package golden

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/names"
)

// compareWith copies the verdicts and their reasons from report to the change: those on the whole
// file and on each output. It does nothing if report is nil.
func (c *Change) compareWith(report *compare.Report) {
	if report == nil {
		return
	}
	c.Verdict, c.Reason = report.Verdict, report.Reason
	type place struct {
		output    string
		iteration int
	}
	judged := map[place]compare.Output{}
	for _, o := range report.Outputs {
		judged[place{o.ExpectedName, o.Iteration}] = o
	}
	for i, m := range c.Moved {
		for _, iteration := range []int{m.Iteration, compare.Averaged} {
			if o, ok := judged[place{m.Output, iteration}]; ok {
				c.Moved[i].Verdict, c.Moved[i].Fails = o.Verdict, o.Reason
			}
		}
	}
}

// Text describes the change for a reviewer: the spec, how much each output changed, whether the
// change is within the spec's tolerance, and the provenance of both runs. The text ends with a
// newline.
func (c Change) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "golden %s: %s\n", c.what(), names.Line(c.Path))
	row := func(word, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-11s %s\n", word, names.Line(oneLine(text)))
		}
	}
	row("by", c.By)
	row("tolerance", c.Tolerance)
	row("verdict", because(c.Verdict, c.Reason))
	row("damage", c.Damage)
	for _, line := range c.provenance() {
		row(line.word, line.text)
	}
	for _, m := range c.Moved {
		row("output", m.row(c.numbered()))
	}
	return b.String()
}

// because returns the verdict with its reason, if it has one.
func because(verdict compare.Verdict, reason string) string {
	if reason == "" {
		return string(verdict)
	}
	return fmt.Sprintf("%s: %s", verdict, reason)
}

// row returns the output's line in [Change.Text].
func (m Move) row(numbered bool) string {
	text := m.name(numbered) + " " + m.extent()
	switch {
	case m.Verdict == "":
		return text
	case m.Fails == "" || m.Reason != "":
		return text + ": " + string(m.Verdict)
	}
	return fmt.Sprintf("%s: %s: %s", text, m.Verdict, m.Fails)
}

// extent says how much the output changed.
func (m Move) extent() string {
	switch {
	case m.Reason != "":
		return m.Reason
	case m.MaxAbs == 0:
		return "unchanged"
	}
	return fmt.Sprintf("max abs %s, max rel %s", figures.Short(m.MaxAbs), figures.Short(m.MaxRel))
}

// labelled is one line of a review: a label and the text after it.
type labelled struct{ word, text string }

// provenance returns lines about both runs: the engines, and everything else that differs, as old →
// new.
func (c Change) provenance() (rows []labelled) {
	if c.Is == nil {
		return nil
	}
	is := *c.Is
	if c.Was == nil {
		return []labelled{{"made by", is.String()}, {"model", modelText(is)}, {"inputs", is.Inputs}}
	}
	was := *c.Was
	rows = append(rows, labelled{"made by", arrow(was.String(), is.String())})
	for _, r := range []struct{ word, was, is string }{
		{"model", modelText(was), modelText(is)},
		{"inputs", inputsText(was), inputsText(is)},
		{"computed", was.Computed, is.Computed},
	} {
		if r.was != r.is {
			rows = append(rows, labelled{r.word, arrow(r.was, r.is)})
		}
	}
	for _, name := range names.Differing(was.Options, is.Options) {
		before, now := cmp.Or(was.Options[name], "unset"), cmp.Or(is.Options[name], "unset")
		rows = append(rows, labelled{"option", name + " " + arrow(before, now)})
	}
	return rows
}

// arrow returns "old → new", or the value if both are equal.
func arrow(was, is string) string {
	if was == is {
		return is
	}
	return fmt.Sprintf("%s → %s", cmp.Or(was, "unknown"), cmp.Or(is, "unknown"))
}

func modelText(p backends.Provenance) string { return withSum(p.Model, p.ModelSHA256) }

func inputsText(p backends.Provenance) string { return withSum(p.Inputs, p.InputsSHA256) }

func withSum(name, sum string) string {
	if sum == "" {
		return name
	}
	return fmt.Sprintf("%s (sha256 %s)", name, sum[:min(len(sum), 12)])
}

// oneLine replaces line breaks by spaces, so that the text stays in its row.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

type plainMove Move

// MarshalJSON writes NaN as a string; see package jsonfloat.
func (m Move) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonfloat.Of((*plainMove)(&m)))
}

// UnmarshalJSON reads MarshalJSON's output, which other processes of a suite send.
func (m *Move) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, jsonfloat.Of((*plainMove)(m)))
}
