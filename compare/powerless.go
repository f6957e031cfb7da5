package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// Powerless is the error of a check that could not have failed: its pass would prove nothing. A
// check of this kind that fails is a failure like any other.
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

// hollow is why a rule could not fail. The output and the rule are added by who knows them.
func hollow(remedy, why string, args ...any) *Powerless {
	return &Powerless{Why: fmt.Sprintf(why, args...), Remedy: remedy}
}

// holdOtherwise is the remedy where the rule does not suit the output.
const holdOtherwise = "hold this output to another rule"

// accepts says why every difference of a pair would be within the tolerances, where that is so: one
// is infinite, or the element types have a greatest difference.
func (p *pair) accepts(atol, rtol float64) *Powerless {
	switch {
	case p.arith == inString:
		return nil
	case math.IsInf(atol, 1) || math.IsInf(rtol, 1):
		return hollow("give finite tolerances; to look for NaN and infinities alone, use Finite",
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
	return hollow("give this output a smaller tolerance", "no two values of %s are more than %s apart",
		x, figures.Exact(max(high-otherLow, otherHigh-low)))
}
