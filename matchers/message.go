package matchers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
)

// FailureMessage names both sides and describes how their outputs and the runs differ. For a golden
// file, it also names the command that accepts the change. The message does not start with a blank
// line, because Gomega prints the user's own annotation before it.
func (m *comparer) FailureMessage(any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Expected\n    %v\nto match\n    %s\n", m.last.actual, m.expected())
	if m.decision != nil {
		fmt.Fprintf(&b, "in %v\n%s", m.decision, strings.TrimRight(m.last.decided.Text(), "\n"))
	} else {
		b.WriteString(strings.TrimRight(m.last.report.Text(), "\n"))
	}
	for _, difference := range differences(m.last.actual, m.last.expected) {
		b.WriteString("\nnote: " + names.Line(difference))
	}
	if m.noise {
		b.WriteString("\n" + m.last.noise.Text(m.bars()))
	}
	if m.format != nil {
		b.WriteString("\n" + m.last.rounded)
	}
	if m.locating {
		b.WriteString("\n" + m.located())
	}
	if m.last.unwritten != "" {
		b.WriteString("\nnot written: " + m.last.unwritten)
	} else if _, ok := m.reference.(goldenFile); ok && m.format == nil {
		if why := m.prevented(m.last.actual); why != "" {
			b.WriteString("\nan update cannot accept the change: " + why)
		} else {
			b.WriteString("\nto accept the change" + m.accepting())
		}
	}
	return names.Escape(b.String())
}

// NegatedFailureMessage says that the two sides agree although they should not, and how closely.
func (m *comparer) NegatedFailureMessage(any) string {
	if m.decision != nil {
		return names.Escape(fmt.Sprintf("Expected\n    %v\nnot to match\n    %s\nin %v\n%s",
			m.last.actual, m.expected(), m.decision, strings.TrimRight(m.last.decided.Text(), "\n")))
	}
	text := fmt.Sprintf("Expected\n    %v\nnot to match\n    %s\n"+
		"but every output agrees within\n    %s",
		m.last.actual, m.expected(), strings.Join(m.held(), "\n    "))
	if n := len(m.last.report.LeftOut); n > 0 {
		text += fmt.Sprintf("\nleft out: %d, %s", n, names.List(m.last.report.LeftOut))
	}
	for _, note := range m.last.report.Notes {
		text += "\nnote: " + names.Line(note)
	}
	return names.Escape(text)
}

// expected describes the expected side. For a file, a second line describes the run that wrote the
// file.
func (m *comparer) expected() string {
	if m.reference == nil {
		return "(no expected run was set)"
	}
	r := m.last.reference
	if r == nil { // no Match yet
		r = m.reference
	}
	text := r.String()
	if maker := m.maker(); maker != "" {
		text += "\n    made by " + maker
	}
	return text
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *comparer) String() string {
	text := "match the outputs"
	if m.reference != nil {
		text = fmt.Sprintf("match %v", m.reference)
	}
	if m.decision != nil {
		return names.Escape(fmt.Sprintf("%s in %v", text, m.decision))
	}
	return names.Escape(text + " within " + strings.Join(m.held(), "; "))
}

// GomegaString keeps Gomega from printing the matcher field by field.
func (m *comparer) GomegaString() string { return m.String() }

// held describes the checks for every output, followed by the checks for single outputs.
func (m *comparer) held() []string {
	switch alarm := figures.FalseAlarm(m.falseAlarm); {
	case m.noise:
		return []string{"rounding noise, with " + alarm}
	case m.format != nil:
		return []string{fmt.Sprintf("the rounding errors of %s, with %s", *m.format, alarm)}
	case m.decision != nil:
		return []string{m.decision.String()}
	}
	o := m.rules()
	lines := []string{checksText(o.Checks)}
	for name, checks := range o.PerOutput {
		lines = append(lines, fmt.Sprintf("%s: %s", names.Line(name), checksText(checks)))
	}
	slices.Sort(lines[1:])
	if len(o.Only) > 0 {
		lines = append(lines, "only "+names.List(o.Only))
	}
	if len(o.Except) > 0 {
		lines = append(lines, "except "+names.List(o.Except))
	}
	return lines
}

func checksText(checks []compare.Check) string {
	return strings.Join(names.Each(checks, compare.Check.String), " and ")
}
