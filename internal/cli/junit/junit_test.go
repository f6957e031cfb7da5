package junit_test

import (
	"encoding/xml"
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/junit"
	"github.com/modelparity/modelparity/internal/testing/hostile"
)

// written is the XML of a report.
func written(t *testing.T, report any) string {
	t.Helper()
	g := NewWithT(t)
	text, err := junit.Of("compare", report)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(xml.Unmarshal(text, new(struct{}))).To(Succeed())
	return string(text)
}

func TestAComparisonIsACaseForEachOutput(t *testing.T) {
	g := NewWithT(t)
	text := written(t, compare.Document{Pairs: []compare.Pair{{Actual: "a <b>", Expected: "c",
		Report: compare.Report{Verdict: compare.Fail, Reason: "1 of 2 outputs differ",
			Outputs: []compare.Output{{Name: "x", Verdict: compare.Pass},
				{Name: "y", Iteration: 1, Verdict: compare.Fail,
					Reason: "too \x1b[31mfar\nby 3 & more"}}}}}})
	g.Expect(text).To(ContainSubstring(
		`<testsuite name="modelparity compare" tests="2" failures="1" errors="0">`))
	g.Expect(text).To(ContainSubstring(
		`<testcase name="x" classname="a &lt;b&gt; against c"></testcase>`))
	g.Expect(text).To(ContainSubstring(`<testcase name="y, iteration 1" `))
	g.Expect(text).To(ContainSubstring(`<failure message="too \u001b[31mfar">too \u001b[31mfar`))
}

func TestWhatFailsAsAWholeIsACase(t *testing.T) {
	g := NewWithT(t)
	g.Expect(written(t, compare.Document{Pairs: []compare.Pair{{Actual: "a",
		Report: compare.Report{Verdict: compare.Fail, Reason: "no output is common"}}}})).To(
		ContainSubstring(`<failure message="no output is common">`))
	g.Expect(written(t, compare.Document{Err: errors.New("no such file")})).To(And(
		ContainSubstring(`errors="1"`), ContainSubstring(`<error message="no such file">`)))
	g.Expect(written(t, map[string]any{"version": 1, "kind": "vote", "verdict": "pass"})).To(
		ContainSubstring(`<testcase name="vote" classname="modelparity compare"></testcase>`))
}

// A file's names must not control the log or the page in which a build server shows the report.
func TestNamesAreEscaped(t *testing.T) {
	g := NewWithT(t)
	for _, name := range append(hostile.Names, "\ufffe\uffff", "\x00\v\xff") {
		text := written(t, compare.Document{Pairs: []compare.Pair{
			{Actual: name, Expected: name, Report: compare.Report{Verdict: compare.Fail,
				Reason: name, Outputs: []compare.Output{
					{Name: name, Verdict: compare.Fail, Reason: "x" + name}}}},
			{Actual: name, Report: compare.Report{Verdict: compare.Fail, Reason: name}}}})
		g.Expect(hostile.Found(text)).To(BeEmpty(), "%q", name)
		g.Expect(text).NotTo(ContainSubstring("\ufffd"), "what XML cannot represent")
	}
}
