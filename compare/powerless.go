package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// Powerless is the error for a check that passed but could not have failed, so its pass proves
// nothing.
type Powerless struct {
	Output string // the name on the actual side, or "" for tensors without one
	Rule   string // the rule in words
	Why    string
	Remedy string
}

func (e *Powerless) Error() string {
	return fmt.Sprintf("compare: %s proves nothing about %s: %s; %s", e.Rule, label(e.Output), e.Why,
		e.Remedy)
}

// hollow returns an error that says why a rule could not fail. The caller adds the names of the
// output and the rule.
func hollow(remedy, why string, args ...any) *Powerless {
	return &Powerless{Why: fmt.Sprintf(why, args...), Remedy: remedy}
}

// holdOtherwise is the remedy to suggest if the rule does not suit the output.
const holdOtherwise = "check this output with another rule"

// accepts returns an error if the check proves nothing because any two numbers are within the
// tolerances. This is so if a tolerance is infinite, or if atol is at least the largest difference
// between two numbers of the pair's element types. Otherwise accepts returns nil.
func (p *pair) accepts(atol, rtol float64) *Powerless {
	switch {
	case p.arith == inString:
		return nil
	case math.IsInf(atol, 1) || math.IsInf(rtol, 1):
		return hollow("set finite tolerances, or use Options.Finite to look only for NaN and infinities",
			"every number is within an infinite tolerance")
	}
	low, high, ok := span(p.actual.ElementType())
	otherLow, otherHigh, otherOK := span(p.expected.ElementType())
	if !ok || !otherOK || atol < max(high-otherLow, otherHigh-low) {
		return nil
	}
	x, y := p.actual.ElementType().String(), p.expected.ElementType().String()
	if x != y {
		x += " and " + y
	}
	return hollow("set a smaller tolerance for this output",
		"no two values of %s are more than %s apart", x, figures.Exact(max(high-otherLow, otherHigh-low)))
}
