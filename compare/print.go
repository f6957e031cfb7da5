package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// detailed is the number of failing outputs that are printed in full; the others get one line each.
const detailed = 8

// String returns [Report.Text]. Without it, printing a report would dump its tensors.
func (r Report) String() string { return r.Text() }

// GomegaString returns the text that Gomega prints for a report.
func (r Report) GomegaString() string { return r.Text() }

// Text returns the whole report for a reader: one line for every output and, for the first eight
// failing outputs, what went wrong and which tolerance would pass. It ends with a newline.
func (r Report) Text() string {
	var b strings.Builder
	if r.Reason != "" {
		b.WriteString(names.Line(r.Reason) + "\n")
	}
	heads := make([][]string, len(r.Outputs))
	for i, o := range r.Outputs {
		heads[i] = o.head(r.Outputs[len(r.Outputs)-1].Iteration > 0)
	}
	shown := 0
	for i, head := range figures.Table(heads) {
		b.WriteString(head + "\n")
		if o := r.Outputs[i]; o.Verdict == Fail {
			if shown++; shown <= detailed {
				b.WriteString(o.details())
			}
		}
	}
	if shown > detailed {
		fmt.Fprintf(&b, "details are shown for the first %d of %d failing outputs\n", detailed, shown)
	}
	if n := len(r.LeftOut); n > 0 {
		fmt.Fprintf(&b, "%s left out: %s\n", figures.Plural(n, "output"), names.List(r.LeftOut))
	}
	for _, note := range r.Notes {
		b.WriteString("note: " + names.Line(note) + "\n")
	}
	return names.Escape(b.String())
}

// String returns [Output.Text].
func (o Output) String() string { return o.Text() }

// GomegaString returns the text that Gomega prints for an output.
func (o Output) GomegaString() string { return o.Text() }

// Text returns the output's line and, if the output fails, the details. It ends with a newline.
func (o Output) Text() string {
	text := figures.Table([][]string{o.head(o.Iteration > 0)})[0] + "\n"
	if o.Verdict == Fail {
		text += o.details()
	}
	return names.Escape(text)
}

// head returns the columns of the output's line: verdict, name, type and shape, checks.
func (o Output) head(iteration bool) []string {
	name := cmp.Or(names.Line(o.Name), "output")
	if o.ExpectedName != o.Name {
		name += " (expected " + names.Line(o.ExpectedName) + ")"
	}
	switch {
	case o.Iteration == Averaged:
		name += ", averaged"
	case iteration:
		name += fmt.Sprintf(", iteration %d", o.Iteration)
	}
	verdict, held := "FAIL", o.Reason
	if o.Verdict != Fail {
		texts := names.Each(o.Results, Result.String)
		verdict, held = "pass", strings.Join(texts, "; ")
	}
	return []string{verdict, name, o.kind(), held}
}

// kind returns the output's type and shape, or both sides' types and shapes if they differ.
func (o Output) kind() string {
	actual, expected := o.Kinds()
	if actual == "" || expected == "" || actual == expected {
		return cmp.Or(actual, expected)
	}
	return actual + " against " + expected
}

// String returns the check and the numbers it compared, such as "max: … (abs 1.2e-07, rel
// 3.1e-06)".
func (r Result) String() string {
	if r.Check.rule == nil {
		return r.Check.String()
	}
	if r.Of == 0 && r.Text != "" {
		return fmt.Sprintf("%v (%s)", r.Check, r.Text) // no elements
	}
	if numbers := r.Check.rule.figures(&r); numbers != "" {
		return fmt.Sprintf("%v (%s)", r.Check, numbers)
	}
	return r.Check.String()
}

// details returns the indented lines that explain a failing output. They follow the output's line.
func (o Output) details() string {
	var lines []string
	s := o.Statistics()
	if s.Actual.Total()+s.Expected.Total() > 0 {
		lines = append(lines, fmt.Sprintf("not finite: actual %v; expected %v", s.Actual, s.Expected))
	}
	for _, r := range o.Results {
		line := "holds  " + r.String()
		if r.Verdict == Fail {
			line = "fails  " + r.String()
			if r.Text != "" && strings.Contains(o.Reason, r.Text) { // the output's line shows it
				line = "fails  " + r.Check.String()
			}
		}
		lines = append(lines, line)
	}
	if s.Mismatches > 0 && !o.counted() {
		lines = append(lines, fmt.Sprintf("elementwise, %d of %d elements exceed the tolerances "+
			"(%s)", s.Mismatches, s.Elements, figures.Percent(float64(s.Mismatches)/float64(s.Elements))))
	}
	if s.Where != "" {
		lines = append(lines, s.Where)
	}
	if len(o.Results) > 0 && o.Iteration != Averaged && s.Elements > 0 {
		a, e := s.Values.Actual.Mean, s.Values.Expected.Mean
		if s.Elements > 1 && a == a && e == e {
			lines = append(lines, fmt.Sprintf("values: actual %v; expected %v", s.Values.Actual,
				s.Values.Expected))
		}
		if actual, _ := o.kinds(); actual != nil && actual.Type != tensor.String {
			lines = append(lines, s.errorLines()...)
		}
		lines = append(lines, s.worstLines()...)
	}
	for _, need := range s.Required {
		lines = append(lines, need.text())
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("      " + line + "\n")
	}
	return b.String()
}

// counted reports whether a check has counted mismatching elements. If so, the verdict already
// shows their number.
func (o Output) counted() bool {
	return slices.ContainsFunc(o.Results, func(r Result) bool {
		return r.Mismatches > 0 && r.Check.elementwise()
	})
}

// errorLines returns a table with one row for the absolute and one for the relative errors,
// followed by a histogram of each if there are enough errors. NaN and infinite errors are left out.
func (s Statistics) errorLines() []string {
	table := [][]string{{"error", "max", "at", "mean", "median", "p90", "p95", "p99"}}
	var histograms []string
	for _, of := range []struct {
		name string
		all  int
		Errors
	}{{"absolute", s.Abs.Count, s.FiniteAbs}, {"relative", s.Rel.Count, s.FiniteRel}} {
		row := []string{of.name, "none"}
		if of.Count > 0 {
			row = []string{of.name, figures.Short(of.Max), tensor.Shape(of.MaxAt).String(),
				figures.Short(of.Mean), figures.Short(of.Median), figures.Short(of.P90),
				figures.Short(of.P95), figures.Short(of.P99)}
		}
		if of.Count < of.all {
			row[0] += fmt.Sprintf(" (%d of %d are finite)", of.Count, of.all)
		}
		table = append(table, row)
		if of.Count >= bins && of.Max > 0 {
			histograms = append(histograms, fmt.Sprintf("%s errors in %d bins from 0 to %s: %s", of.name,
				bins, figures.Short(of.Max), strings.Trim(fmt.Sprint(of.Histogram), "[]")))
		}
	}
	return append(figures.Table(table), histograms...)
}

// worstLines returns the table of the worst elements.
func (s Statistics) worstLines() []string {
	if len(s.Worst) == 0 {
		return nil
	}
	table := [][]string{{"worst", "actual", "expected", "abs", "rel"}}
	counted := slices.ContainsFunc(s.Worst, func(e Element) bool { return e.ULP != nil })
	if counted {
		table[0] = append(table[0], "ulp")
	}
	for _, e := range s.Worst {
		place := tensor.Shape(e.Index).String()
		if e.Key != "" {
			place += " " + e.Key
		}
		row := []string{place, e.Actual, e.Expected, figures.Short(e.Abs), figures.Short(e.Rel)}
		if counted {
			row = append(row, figures.Short(*e.ULP))
		}
		table = append(table, row)
	}
	return figures.Table(table)
}

// text names, in full precision, the tolerances or the limit with which the check would have
// passed.
func (n Required) text() string {
	var ways []string
	atol, rtol, _ := n.Check.Tolerances()
	if n.Atol == n.Atol {
		ways = append(ways, "atol "+figures.Exact(n.Atol)+" (rtol "+figures.Exact(rtol)+" kept)")
	}
	if n.Rtol == n.Rtol {
		ways = append(ways, "rtol "+figures.Exact(n.Rtol)+" (atol "+figures.Exact(atol)+" kept)")
	}
	if n.Limit == n.Limit {
		ways = append(ways, "the limit "+figures.Exact(n.Limit))
	}
	if len(ways) == 0 {
		what := "tolerance"
		if limit := n.Check.Limit(); limit == limit {
			what = "limit"
		}
		return "no finite " + what + " would pass: " + n.Check.bare()
	}
	return "would pass with " + strings.Join(ways, " or ") + ": " + string(n.Check.Stat())
}
