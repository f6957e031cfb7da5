package matchers

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/noise"
)

// MatchDecisions succeeds if a run makes the same decisions as the expected run: classes, boxes,
// orders, masks, tokens. The rule says what a decision is, and how close a decision must be for a
// flip to be excused:
//
//	layout := decisions.Layout{Boxes: "boxes", Scores: "scores", Classes: "labels"}
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchDecisions(decisions.Detections{Layout: layout, Score: 0.25, Margin: 0.02}).
//			Of(ort.Run(ctx, model, inputs)))
//
// The rules are decisions.TopK, Ranking, Embeddings, Mask, Logits, Tokens, Text and Detections and,
// for labelled sets, decisions.AccuracyLoss and AveragePrecisionLoss. The failure message counts
// and shows excused flips and all others separately.
//
// The two sides may have different element types. MatchDecisions fails if they differ in shape or
// in the number of iterations, if an output is missing, or if the actual side has a NaN. It is an
// error if the expected run, compared with itself, would fail. It is also an error if a run of
// zeros, of one constant or of NaN would pass (see compare.Powerless).
func MatchDecisions(rule decisions.Rule) *DecisionMatcher {
	return decisionMatcher(&comparer{constructor: "MatchDecisions",
		decision: &byDecision{rule: rule}})
}

// MatchDecisionsWithinNoise is [MatchDecisions] with a measured margin: a decision may flip if
// rounding alone can flip it. The noise is measured as in [MatchWithinNoise]. The margin is twice
// the largest measured noise bound of any score. It is an error if the rule has a Margin of its
// own.
//
//	Expect(openvino.Run(ctx, model, inputs)).To(
//		MatchDecisionsWithinNoise(decisions.TopK{K: 5}).Of(ort.Run(ctx, model, inputs)))
//
// The noise is measured in ONNX Runtime on the CPU, or in the engine passed after the rule. That
// engine must be known to be correct and must compute in float32. Passing more than one engine is
// an error.
func MatchDecisionsWithinNoise(rule decisions.Scored, measuredIn ...backends.Engine,
) *DecisionMatcher {
	c := &comparer{constructor: "MatchDecisionsWithinNoise",
		decision: &byDecision{rule: rule, scored: rule}}
	switch len(measuredIn) {
	case 0:
	case 1:
		c.engine = measuredIn[0]
	default:
		c.wrong(fmt.Errorf("want at most one engine to measure the noise, got %d", len(measuredIn)))
	}
	return decisionMatcher(c)
}

// DecisionMatcher compares the decisions of two runs. Create one with [MatchDecisions] or
// [MatchDecisionsWithinNoise]; its methods return modified copies. In the report, each number that
// describes the decisions is a check.
type DecisionMatcher struct {
	*comparer
	references[*DecisionMatcher]
	reports[*DecisionMatcher]
	searches[*DecisionMatcher]
}

func decisionMatcher(c *comparer) *DecisionMatcher {
	m := chain[*DecisionMatcher]{c, decisionMatcher}
	return &DecisionMatcher{c, references[*DecisionMatcher]{m}, reports[*DecisionMatcher]{m},
		searches[*DecisionMatcher]{m}}
}

// OfGolden compares with the decisions in a golden file. An update writes the run's complete
// outputs to the file, unless the run's decisions match it already. Without a name, the file is
// named after the spec.
func (m *DecisionMatcher) OfGolden(name ...string) *GoldenFileMatcher {
	return goldenFileMatcher(m.ofGolden(name))
}

// byDecision is the rule of a matcher that compares decisions instead of numbers.
type byDecision struct {
	rule   decisions.Rule
	scored decisions.Scored // the rule, if its margin is measured noise; nil otherwise
}

// String returns the rule in words.
func (d *byDecision) String() string {
	if d.scored != nil {
		return decisions.TextOf(d.rule) + ", margin by noise"
	}
	return decisions.TextOf(d.rule)
}

// judge compares the decisions of the two sides, and stores the report in c. The engine measures
// the noise; nil means ONNX Runtime.
func (d *byDecision) judge(c *comparison, engine backends.Engine) error {
	rule, note, err := d.rule, "", error(nil)
	if d.scored != nil && len(c.expected.sets) > 0 { // Judge refuses a run without iterations
		rule, note, err = d.measured(c.actual, c.expected, engine)
	}
	if err != nil {
		return err
	}
	c.rule = rule
	if c.decided, err = decisions.Judge(rule, c.actual.sets, c.expected.sets); err != nil {
		return err
	}
	if note != "" {
		c.decided.Notes = append(c.decided.Notes, note)
	}
	c.report = c.decided.Report(c.actual.sets, c.expected.sets)
	return nil
}

// measured returns the rule with a margin that is derived from measured noise. It also returns a
// note that says how large the noise is.
func (d *byDecision) measured(actual, expected side, engine backends.Engine) (decisions.Rule,
	string, error) {
	name, err := decisions.ScoresOf(d.scored, expected.sets)
	if err != nil {
		return nil, "", err
	}
	of, err := noise.Between(actual.run, expected.run, noise.In(engine))
	if err != nil {
		return nil, "", err
	}
	bounds, err := of.Noise.Bounds(expected.sets, compare.Bars{})
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
		return nil, "", fmt.Errorf("noise gives no finite bound for output %q: use MatchDecisions with "+
			"a Margin", name)
	}
	rule, err := decisions.Within(d.scored, greatest)
	return rule, fmt.Sprintf("noise moves an element of %q by up to %.4g", name, greatest), err
}
