package decode

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare/decisions"
)

// Told is what a reader wants to know of two runs of a decoder beside the comparison of their
// outputs: how far their logits are apart, and where they part by the rule. Each is a line.
func Told(actual, expected *backends.Run, hold Hold) (string, error) {
	var lines []string
	table, err := decisions.Logits{}.Table(actual.Outputs(), expected.Outputs())
	if err == nil { // else the logits were not kept whole, or have other names
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
