package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/figures"
)

// speedText returns the number of tokens in a decoder's run, over all sequences, and the speed: "24
// tokens, 5210 tokens per second". It counts frames instead if the run has no tokens.
func speedText(run *backends.Run) string {
	tokens, took, unit := 0, time.Duration(0), "token"
	if _, ok := run.Outputs()[0].Get("tokens"); !ok {
		tokens, unit = run.Len(), "frame"
	}
	for _, i := range run.Iterations() {
		took += max(i.Runtime, 0)
		ids, ok := i.Outputs.Get("tokens")
		if !ok {
			continue
		}
		for k := range ids.Len() {
			if ids.Float64At(k) >= 0 {
				tokens++
			}
		}
	}
	text := figures.Plural(tokens, unit)
	if took <= 0 {
		return text
	}
	return fmt.Sprintf("%s, %.0f %ss per second", text, float64(tokens)/took.Seconds(), unit)
}

// decodedText returns the lines that the report on two decoder runs shows below the comparison of
// their outputs: the distance between their logits, and the first difference that the comparison
// rule does not allow.
func decodedText(actual, expected *backends.Run, hold decode.Hold) (string, error) {
	var lines []string
	table, err := decisions.Logits{}.Table(actual.Outputs(), expected.Outputs())
	if err == nil { // it fails if logits were not kept or are renamed
		text := fmt.Sprintf("logits: KL divergence %.3g on average, %.3g at most; the top token agrees "+
			"at %.4g %% of %d positions", table.Of(decisions.MeanKLD()).Value,
			table.Of(decisions.MaxKLD()).Value,
			100*table.Of(decisions.SameTop()).Value, table.Positions)
		if table.Followed > 0 {
			text += fmt.Sprintf("; perplexity ratio %.6g", table.Of(decisions.PerplexityRatio()).Value)
		}
		lines = append(lines, text)
	}
	found, err := decode.PartBy(actual, expected, hold)
	if err != nil {
		return "", err
	}
	if found != nil {
		lines = append(lines, found.String())
	}
	return strings.Join(append(lines, ""), "\n"), nil
}
