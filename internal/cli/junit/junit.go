// Package junit converts modelparity's reports to JUnit XML, which all common build servers can
// show.
package junit

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/schema"
)

// suites, suite and testCase are the XML elements that all readers of the format support.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Failure *problem `xml:"failure,omitempty"`
	Error   *problem `xml:"error,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Of converts a command's report to XML. It reads the report from its JSON encoding, unless it is a
// comparison, which may have many outputs.
func Of(command string, report any) ([]byte, error) {
	var made bytes.Buffer
	if d, ok := report.(compare.Document); ok {
		err := Write(&made, command, &reportfile.Document{Schema: schema.Of("comparison"),
			Verdict: d.Verdict(), Reason: d.Reason(), Comparison: &d})
		return made.Bytes(), err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return nil, err
	}
	f, err := reportfile.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if f.Document == nil {
		return nil, errors.New("a list of suites is not a command's report")
	}
	err = Write(&made, command, f.Document)
	return made.Bytes(), err
}

// Write writes a command's report as XML. A comparison becomes a test case for each output, any
// other report a single test case. A comparison that could not be made counts as an error, not as a
// failure.
func Write(w io.Writer, command string, report *reportfile.Document) error {
	s := suite{Name: "modelparity " + command}
	if d := report.Comparison; d != nil && report.Verdict != "error" {
		for _, p := range d.Pairs {
			s.Cases = append(s.Cases, pair(p)...)
		}
	} else {
		s.Cases = append(s.Cases, testCase{Name: report.Kind, Class: s.Name})
		found := problemOf(report.Reason)
		switch c := &s.Cases[0]; report.Verdict {
		case "fail":
			c.Failure = found
		case "error":
			c.Error = found
		}
	}
	for _, c := range s.Cases {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suites{Suites: []suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// pair returns the test cases for two compared runs.
func pair(p compare.Pair) (cases []testCase) {
	class := p.Actual
	if p.Expected != "" {
		class += " against " + p.Expected
	}
	class = names.Line(class)
	failed := false
	for _, o := range p.Report.Outputs {
		c := testCase{Name: names.Line(o.Name), Class: class}
		if o.Iteration > 0 {
			c.Name += fmt.Sprintf(", iteration %d", o.Iteration)
		}
		if o.Verdict == compare.Fail {
			failed = true
			c.Failure = problemOf(o.Reason)
		}
		cases = append(cases, c)
	}
	if p.Report.Verdict == compare.Fail && !failed { // the runs themselves differ, not an output
		cases = append(cases, testCase{Name: "runs", Class: class,
			Failure: problemOf(p.Report.Reason)})
	}
	return cases
}

// problemOf returns the reason for a failure. XML cannot represent most control characters, and
// build servers print reports into logs, so the reason is escaped.
func problemOf(reason string) *problem {
	text := names.Escape(reason)
	first, _, _ := strings.Cut(text, "\n")
	return &problem{Message: first, Text: text}
}
