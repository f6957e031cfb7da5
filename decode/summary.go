package decode

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare/decisions"
)

// Summary returns the lines that a report on two decoder runs adds to the comparison of their
// outputs: the distance between their logits, and the first difference under the rule.
func Summary(actual, expected *backends.Run, hold Hold) (string, error) {
	var lines []string
	table, err := decisions.Logits{}.Table(actual.Outputs(), expected.Outputs())
	if err == nil { // otherwise the logits were not kept or are renamed
		text := fmt.Sprintf("logits: KLD %.3g on average, %.3g at most; the same token leads at %.4g %% "+
			"of %d positions", table.Of(decisions.MeanKLD()).Value, table.Of(decisions.MaxKLD()).Value,
			100*table.Of(decisions.SameTop()).Value, table.Positions)
		if table.Followed > 0 {
			text += fmt.Sprintf("; perplexity ratio %.6g", table.Of(decisions.PerplexityRatio()).Value)
		}
		lines = append(lines, text)
	}
	found, err := PartBy(actual, expected, hold)
	if err != nil {
		return "", err
	}
	if found != nil {
		lines = append(lines, found.String())
	}
	return strings.Join(append(lines, ""), "\n"), nil
}
