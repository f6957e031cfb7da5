package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/compare/decisions"
)

// AccuracyMatcher is the matcher that [HaveTop1Accuracy] and [HaveTopKAccuracy] create.
type AccuracyMatcher struct {
	labels  []int
	k       int // a row is right if its label is among the k highest scores
	atLeast float64
	output  string
	sure    bool // compare the lower end of the interval

	last decisions.Classified // the result of the last Match, for the messages
}

// OfOutput names the output with the scores. It is needed if there are several outputs.
func (m *AccuracyMatcher) OfOutput(name string) *AccuracyMatcher {
	return &AccuracyMatcher{labels: m.labels, k: m.k, atLeast: m.atLeast, output: name, sure: m.sure}
}

// Confidently makes the matcher compare the lower end of Wilson's 95 % confidence interval with the
// required accuracy, instead of the measured accuracy itself. With few rows the interval is wide,
// so its lower end is far below the measured accuracy.
func (m *AccuracyMatcher) Confidently() *AccuracyMatcher {
	return &AccuracyMatcher{labels: m.labels, k: m.k, atLeast: m.atLeast, output: m.output, sure: true}
}

// name returns the name of the function that created the matcher, for errors.
func (m *AccuracyMatcher) name() string {
	if m.k == 1 {
		return "HaveTop1Accuracy"
	}
	return "HaveTopKAccuracy"
}

// Match implements Gomega's matcher interface.
func (m *AccuracyMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	if holds, err = m.match(actual); err != nil {
		return false, fmt.Errorf("%s: %w", m.name(), err)
	}
	return holds, nil
}

func (m *AccuracyMatcher) match(actual any) (bool, error) {
	switch {
	case !(m.atLeast >= 0 && m.atLeast <= 1):
		return false, fmt.Errorf("the required accuracy must be between 0 and 1, got %g", m.atLeast)
	case m.atLeast == 0:
		return false, errors.New("every run has an accuracy of at least 0, so nothing could fail: " +
			"require more than 0")
	}
	s, err := sideOf(actual)
	if err != nil {
		return false, err
	}
	tensors, err := theOutput(s, m.output, "OfOutput")
	if err != nil {
		return false, err
	}
	if m.last, err = decisions.Classify(tensors, m.labels, m.k); err != nil {
		return false, err
	}
	if m.sure {
		return m.last.Least >= m.atLeast, nil
	}
	return m.last.Value >= m.atLeast, nil
}

// FailureMessage implements Gomega's matcher interface.
func (m *AccuracyMatcher) FailureMessage(any) string { return m.message("to be at least") }

// NegatedFailureMessage implements Gomega's matcher interface.
func (m *AccuracyMatcher) NegatedFailureMessage(any) string { return m.message("to be below") }

func (m *AccuracyMatcher) message(verb string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Expected top-%d accuracy\n    %.6g (%d of %d rows; %.3g to %.3g with 95 %% "+
		"confidence)\n%s\n    %s", m.k, m.last.Value, m.last.Right, m.last.Rows, m.last.Least,
		m.last.Most, verb, required(m.atLeast, m.sure))
	for i, w := range m.last.Wrong {
		if i == 0 {
			b.WriteString("\nfirst wrong rows:")
		}
		fmt.Fprintf(&b, "\n    row %d: %s, label %d", w.Row, w.Class(), w.Label)
	}
	if c, n := m.last.Confused, m.last.ConfusedRows; n > 1 {
		fmt.Fprintf(&b, "\nmost frequent confusion: %s for label %d, in %d rows", c.Class(), c.Label, n)
	}
	return b.String()
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *AccuracyMatcher) String() string {
	return fmt.Sprintf("have top-%d accuracy of at least %s", m.k, required(m.atLeast, m.sure))
}

// required formats the accuracy that a matcher requires. sure is true if
// [AccuracyMatcher.Confidently] was called.
func required(atLeast float64, sure bool) string {
	if sure {
		return fmt.Sprintf("%g with 95 %% confidence", atLeast)
	}
	return fmt.Sprint(atLeast)
}

// GomegaString keeps Gomega from printing the matcher field by field.
func (m *AccuracyMatcher) GomegaString() string { return m.String() }
