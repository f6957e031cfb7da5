package decisions

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Rule is what the decisions of one run are held to on those of another: [TopK], [Ranking],
// [Embeddings], [Mask], [Logits], [Tokens], [Text] or [Detections]. It prints as messages call it.
type Rule interface {
	fmt.Stringer
	// validate says what is wrong with the rule itself.
	validate() error
	// judge compares iterations, as many on both sides and one at least, into f.
	judge(actual, expected []*tensor.Set, f *Findings) error
}

// Scored is a rule whose margins are differences between elements of one output.
type Scored interface {
	Rule
	// Scores is the name of that output, among those of the expected run.
	Scores(expected []*tensor.Set) (string, error)
	// Within sets the margin to twice the difference that an element may have, since both scores of
	// a decision may move. A rule with a Margin of its own is an error.
	Within(element float64) (Rule, error)
}

func setMargin(margin *float64, measured float64) error {
	if *margin != 0 {
		return fmt.Errorf("decisions: the rule has a margin of %v, but noise measures one: leave out "+
			"Margin", *margin)
	}
	*margin = measured
	return nil
}

// Judge holds the iterations of a run to those of another. A difference is a failing verdict, and
// so are an output that is lost, another shape and a NaN on the actual side. A rule that cannot be
// meant, a reference that decides nothing (without iterations, empty, NaN, all of one class) and a
// rule that could not fail are errors.
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
	f := &Findings{Rule: rule.String()}
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

// mismatch is a difference after which no decision can be compared.
type mismatch string

func (m mismatch) Error() string { return string(m) }

// share refuses a share of flips that cannot be meant, and one under which nothing could fail.
func share(what string, v float64) error {
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("%s: the share is %v: want 0 or more, and less than 1", what, v)
	}
	return nil
}

// least refuses a lower bound that cannot be meant: 0 stands for none.
func least(what string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("%s: at least %v: want a number above 0, and at most 1", what, v)
	}
	return nil
}

// margin refuses a margin that cannot be meant.
func margin(v float64) error {
	if !(v >= 0 && v <= maxMargin) {
		return fmt.Errorf("the margin is %v: want a finite number from 0 on", v)
	}
	return nil
}
