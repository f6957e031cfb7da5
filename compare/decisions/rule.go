package decisions

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Rule compares the decisions of two runs: [TopK], [Ranking], [Embeddings], [Mask], [Logits],
// [Tokens], [Text], [Detections], [AccuracyLoss] or [AveragePrecisionLoss].
type Rule interface {
	// text returns the rule in words.
	text() string
	// validate returns an error if the rule's settings are invalid.
	validate() error
	// judge compares the runs and adds the result to f. Both sides have the same number of iterations,
	// at least one.
	judge(actual, expected []*tensor.Set, f *Findings) error
}

// Scored is a rule whose margins are differences between elements of one output. The margin can
// therefore be derived from that output's measured noise; see [Within].
type Scored interface {
	Rule
	// scores returns the name of the output that contains the scores in the expected run.
	scores(expected []*tensor.Set) (string, error)
	// scored returns a copy of the rule, a pointer to the copy's Margin, and the number of scores
	// whose rounding errors can change a decision.
	scored() (copied Rule, margin *float64, scores float64)
}

// TextOf returns a rule in words: "the top 5, margin 0.01".
func TextOf(rule Rule) string { return rule.text() }

// ScoresOf returns the name of the output that contains the scores in the expected run. [Within]
// computes the rule's Margin from the rounding error of that output. ScoresOf returns an error if
// the rule already has a Margin.
func ScoresOf(rule Scored, expected []*tensor.Set) (string, error) {
	if _, err := Within(rule, 0); err != nil {
		return "", err
	}
	return rule.scores(expected)
}

// Within returns the rule with a margin that allows for rounding errors: each element of the scores
// may change by at most the given amount. The margin is twice that amount if a decision depends on
// two scores. It is an error if the rule already has a Margin.
func Within(rule Scored, element float64) (Rule, error) {
	changed, margin, scores := rule.scored()
	if *margin != 0 {
		return nil, fmt.Errorf("decisions: the rule sets Margin to %v, but the margin is measured from "+
			"noise: leave out Margin", *margin)
	}
	*margin = scores * element
	return changed, nil
}

// Judge compares two runs, iteration by iteration. The comparison fails if more decisions flip than
// the rule allows, not counting the flips that it excuses, or if a measured number violates its
// limit. It also fails if the actual side lacks an output, differs in shape or has a NaN. It is an
// error if the rule is invalid. It is also an error if the expected side has no iterations, no
// elements or a NaN, or would fail if it were compared with itself. If outputs that are all zero,
// all one constant or all NaN would pass too, Judge returns a [compare.Powerless] error.
func Judge(rule Rule, actual, expected []*tensor.Set) (*Findings, error) {
	if rule == nil {
		return nil, errors.New("decisions: no rule")
	}
	if err := rule.validate(); err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	if len(expected) == 0 {
		return nil, errors.New("decisions: the expected run has no iterations, so there is nothing " +
			"to compare")
	}
	f := &Findings{Rule: rule.text()}
	if len(actual) != len(expected) {
		f.Reason = fmt.Sprintf("%d iterations, expected %d", len(actual), len(expected))
		return f, nil
	}
	err := rule.judge(actual, expected, f)
	var different mismatch
	switch {
	case errors.As(err, &different):
		return &Findings{Rule: f.Rule, Outputs: f.Outputs, Reason: string(different)}, nil
	case err != nil:
		return nil, fmt.Errorf("decisions: %w", err)
	}
	f.conclude()
	if f.Pass {
		err = f.powerless()
	} else if err = f.unmet(); err != nil {
		err = fmt.Errorf("decisions: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// mismatch is a reason why the actual run cannot be compared with the expected run, such as a
// missing output. The comparison then fails, and Judge returns the reason in the findings.
type mismatch string

func (m mismatch) Error() string { return string(m) }

// share returns an error for a fraction outside [0,1). With a fraction of 1 nothing could fail.
func share(what string, v float64) error {
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("%s: the share is %v: want at least 0 and less than 1", what, v)
	}
	return nil
}

// least returns an error for a lower bound outside [0,1]. 0 means no bound.
func least(what string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("%s: the lower limit is %v: want more than 0 and at most 1", what, v)
	}
	return nil
}

func margin(v float64) error {
	if !(v >= 0 && v <= maxMargin) {
		return fmt.Errorf("the margin is %v: want a finite number, 0 or more", v)
	}
	return nil
}
