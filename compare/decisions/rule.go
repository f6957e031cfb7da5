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
	// validate returns an error for an impossible rule.
	validate() error
	// judge compares the runs and adds the result to f. Both sides have the same number of iterations,
	// at least one.
	judge(actual, expected []*tensor.Set, f *Findings) error
}

// Scored is a rule whose margins are differences between elements of one output, so noise can set
// them.
type Scored interface {
	Rule
	// scores returns the name of that output in the expected run.
	scores(expected []*tensor.Set) (string, error)
	// within returns the rule with its margin set to twice the difference that a single element
	// may have, because both scores of a decision may move. It returns an error if the rule already
	// has a Margin.
	within(element float64) (Rule, error)
}

// TextOf returns a rule in words: "the top 5 in order, margin 0.01".
func TextOf(rule Rule) string { return rule.text() }

// ScoresOf returns the name of the expected run's output whose noise [Within] needs. It returns an
// error if the rule already has a Margin.
func ScoresOf(rule Scored, expected []*tensor.Set) (string, error) {
	if _, err := rule.within(0); err != nil {
		return "", err
	}
	return rule.scores(expected)
}

// Within returns the rule with the margin that results if rounding changes an element of the scores
// by at most the given amount.
func Within(rule Scored, element float64) (Rule, error) { return rule.within(element) }

func setMargin(margin *float64, measured float64) error {
	if *margin != 0 {
		return fmt.Errorf("decisions: the rule sets Margin to %v, but noise measures the margin: leave "+
			"out Margin", *margin)
	}
	*margin = measured
	return nil
}

// Judge compares two runs, iteration by iteration. Unexcused flips fail the comparison, as do a
// missing output, a different shape and a NaN on the actual side. An impossible rule, a reference
// that decides nothing (no iterations, empty, NaN, all of one class) and a rule that could not fail
// are errors.
func Judge(rule Rule, actual, expected []*tensor.Set) (*Findings, error) {
	if rule == nil {
		return nil, errors.New("decisions: no rule")
	}
	if err := rule.validate(); err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	if len(expected) == 0 {
		return nil, errors.New("decisions: the expected run has no iterations, so nothing is decided")
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
	return f, nil
}

// mismatch is a difference that fails the comparison because no decision can be compared.
type mismatch string

func (m mismatch) Error() string { return string(m) }

// share returns an error for a share outside [0,1). With a share of 1 nothing could fail.
func share(what string, v float64) error {
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("%s: the share is %v: want 0 or more, and less than 1", what, v)
	}
	return nil
}

// least returns an error for a lower bound outside [0,1]. 0 means no bound.
func least(what string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("%s: the lower limit is %v: want more than 0, and at most 1", what, v)
	}
	return nil
}

// margin returns an error for a negative, infinite or NaN margin.
func margin(v float64) error {
	if !(v >= 0 && v <= maxMargin) {
		return fmt.Errorf("the margin is %v: want a finite number from 0 on", v)
	}
	return nil
}
