package polygraphy

import (
	"fmt"
	"strings"
)

// Text formats the output's metrics and thresholds in one line: "max: abs 0.5, rel 0.25 (atol 0.1,
// rtol 0.1)". If the result is only a verdict, Text says so.
func (o AccuracyOutput) Text() string {
	switch {
	case o.Class == "":
		return "only a verdict, without numbers"
	case o.Stat == "":
		var numbers []string
		for _, m := range o.Metrics {
			numbers = append(numbers, fmt.Sprintf("%s %.5g", m.Name, m.Value))
		}
		return fmt.Sprintf("%s (threshold %.5g)", strings.Join(numbers, ", "), o.Threshold("threshold"))
	}
	shown := o.Stat
	if shown == "elemwise" { // the result stores no errors of its own
		shown = "max"
	}
	return fmt.Sprintf("%s: %s abs %.5g, rel %.5g (atol %.5g, rtol %.5g)", o.Stat, shown,
		o.Metric(shown+"_absdiff"), o.Metric(shown+"_reldiff"), o.Threshold("atol"),
		o.Threshold("rtol"))
}

// Text formats the results for people: the pairs of each comparison function, with one line per
// output and iteration. It ends with a newline unless it is empty.
func (a Accuracy) Text() string {
	var b strings.Builder
	for i, result := range a {
		fmt.Fprintf(&b, "comparison %d of %d (%s):\n", i+1, len(a), result.Aggregation)
		for _, pair := range result.Pairs {
			fmt.Fprintf(&b, "  %s against %s\n", pair.Runners[0], pair.Runners[1])
			for k, outputs := range pair.Iterations {
				for _, o := range outputs {
					verdict := "passed"
					if pass, err := o.Pass(); err != nil {
						verdict = "no verdict"
					} else if !pass {
						verdict = "FAILED"
					}
					fmt.Fprintf(&b, "    iteration %d  %s  %s  %s\n", k, o.Name, verdict, o.Text())
				}
			}
		}
	}
	return b.String()
}
