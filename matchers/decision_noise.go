package matchers

import (
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/noise"
)

// WithinNoise measures the margin, in place of Margin: decisions may flip where rounding alone can
// flip them. The noise is measured as [MatchWithinNoise] does; the margin is what the two scores of
// a decision can move towards each other, by the greatest bound of an element of the output. It
// needs scores: of MatchTopK, MatchRanking, MatchLogits, MatchMask with FromScores or
// FromThreshold, and MatchTokens with Logits.
func (m *DecisionMatcher) WithinNoise() *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) { c.decision.noise = true })
}

// MeasuredIn names the engine that WithinNoise measures in.
func (m *DecisionMatcher) MeasuredIn(engine backends.Engine) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) { c.decision.engine = engine })
}

// measured is the rule with its margin, and where that comes from.
func (d *byDecision) measured(actual, expected side) (decisions.Rule, string, error) {
	if !d.noise {
		if d.engine != nil {
			return nil, "", errors.New("MeasuredIn belongs to WithinNoise")
		}
		return d.rule, "", nil
	}
	scored, ok := d.rule.(decisions.Scored)
	switch {
	case !ok:
		return nil, "", fmt.Errorf("WithinNoise needs scores of which noise can be measured, and %v has "+
			"none: give a Margin", d.rule)
	case d.margin:
		return nil, "", errors.New("WithinNoise and Margin are two margins: keep one")
	case len(expected.sets) == 0:
		return d.rule, "", nil // which is refused
	}
	name, err := scored.Scores(expected.sets)
	if err != nil {
		return nil, "", err
	}
	of, err := noise.Between(actual.run, expected.run, d.engine)
	if err != nil {
		return nil, "", err
	}
	bounds, err := of.Noise.Bounds(expected.sets, compare.NoiseBars{})
	if err != nil {
		return nil, "", err
	}
	greatest, found := 0., false
	for _, b := range bounds {
		if b.Name != name {
			continue
		}
		for _, v := range b.Elements {
			greatest, found = math.Max(greatest, v), true
		}
	}
	if !found || math.IsInf(greatest, 1) {
		return nil, "", fmt.Errorf("rounding has no bound in output %q: give a Margin", name)
	}
	return scored.Within(greatest), fmt.Sprintf("noise moves an element of %q by up to %.4g", name,
		greatest), nil
}
