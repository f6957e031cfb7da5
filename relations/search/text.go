package search

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// Headline returns the result in one line.
func (f *Found) Headline() string {
	if !f.Parts() {
		largest := fmt.Sprintf("%.3g times the tolerance", f.LargestError)
		if math.IsInf(f.LargestError, 1) {
			largest = "not finite"
		}
		return fmt.Sprintf("the sides agree on %d inputs; the largest error is %s", f.Trials, largest)
	}
	return fmt.Sprintf("the sides differ on %s (input %d): %s", f.How, f.Trial, f.Report.Reason)
}

// Text formats the result for people. It ends with a newline.
func (f *Found) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "actual: %s\nexpected: %s\n%s\n", f.Actual, f.Expected, f.Headline())
	if f.Refused > 0 {
		fmt.Fprintf(&b, "%d other inputs were not compared; the first reason: %s\n", f.Refused,
			f.Refusal)
	}
	if f.Rounding > 0 {
		fmt.Fprintf(&b, "rounding explains the difference on %d inputs\n", f.Rounding)
	}
	if !f.Parts() {
		for _, line := range f.NotTried {
			fmt.Fprintf(&b, "not tried: %s\n", line)
		}
		return b.String()
	}
	b.WriteString("the smallest inputs on which the sides differ:\n")
	for name, t := range f.Inputs.All() {
		fmt.Fprintf(&b, "    %s: %v\n", name, t)
	}
	b.WriteString(f.Report.Text())
	return b.String()
}

// MarshalJSON writes the report in the format of docs/report.schema.json.
func (f *Found) MarshalJSON() ([]byte, error) {
	d := compare.Document{Notes: []string{f.Headline()},
		Pairs: []compare.Pair{{Actual: f.Actual, Expected: f.Expected, Report: f.Report}}}
	return d.MarshalJSON()
}
