package matchers

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// AccuracyMatcher is what [HaveTop1Accuracy] returns.
type AccuracyMatcher struct {
	labels  []int
	atLeast float64
	output  string

	// State of the last Match, for the messages.
	right int
	wrong []miss // the first few
}

// miss is one row whose greatest score is not at its label.
type miss struct{ row, got, label int }

// shownMisses is how many wrong rows a message names.
const shownMisses = 5

// OfOutput names the output that holds the scores. It is needed where there are several.
func (m *AccuracyMatcher) OfOutput(name string) *AccuracyMatcher {
	return &AccuracyMatcher{labels: m.labels, atLeast: m.atLeast, output: name}
}

// Match implements Gomega's matcher.
func (m *AccuracyMatcher) Match(actual any) (bool, error) {
	m.right, m.wrong = 0, nil
	switch {
	case !(m.atLeast >= 0 && m.atLeast <= 1):
		return false, fmt.Errorf("HaveTop1Accuracy: the share must be between 0 and 1, got %g", m.atLeast)
	case m.atLeast == 0:
		return false, errors.New("HaveTop1Accuracy: every run has an accuracy of at least 0, so " +
			"nothing could fail: give a share above 0")
	}
	s, err := sideOf(actual)
	if err != nil {
		return false, fmt.Errorf("HaveTop1Accuracy: %w", err)
	}
	tensors, err := theOutput(s, m.output, "OfOutput")
	if err != nil {
		return false, fmt.Errorf("HaveTop1Accuracy: %w", err)
	}
	row := 0
	for _, t := range tensors {
		shape := t.Shape()
		if len(shape) == 0 || t.Len() == 0 || t.ElementType() == tensor.String {
			return false, fmt.Errorf("HaveTop1Accuracy: %v%v has no axis of scores per class",
				t.ElementType(), shape)
		}
		classes := shape[len(shape)-1]
		if classes == 1 {
			return false, fmt.Errorf("HaveTop1Accuracy: %v%v has one class, which always has the "+
				"greatest score", t.ElementType(), shape)
		}
		for start := 0; start < t.Len(); start += classes {
			if row >= len(m.labels) {
				return false, fmt.Errorf("HaveTop1Accuracy: more rows of scores than the %d labels",
					len(m.labels))
			}
			label := m.labels[row]
			if label < 0 || label >= classes {
				return false, fmt.Errorf("HaveTop1Accuracy: label %d of row %d is not one of the "+
					"%d classes", label, row, classes)
			}
			m.count(row, label, top1(t.Float64At, start, classes))
			row++
		}
	}
	if row != len(m.labels) {
		return false, fmt.Errorf("HaveTop1Accuracy: %d rows of scores for %d labels",
			row, len(m.labels))
	}
	return m.accuracy() >= m.atLeast, nil
}

// These stand for the class of a row that has none.
const (
	hasNaN = -1 - iota
	isFlat
)

// top1 is the position of the greatest of n scores, the first of equals, as NumPy's argmax. A row
// with NaN and one of equal scores have no greatest.
func top1(score func(int) float64, start, n int) int {
	best, flat := 0, true
	for i := range n {
		v := score(start + i)
		if math.IsNaN(v) {
			return hasNaN
		}
		flat = flat && v == score(start)
		if v > score(start+best) {
			best = i
		}
	}
	if flat {
		return isFlat
	}
	return best
}

func (m *AccuracyMatcher) count(row, label, got int) {
	if got == label {
		m.right++
	} else if len(m.wrong) < shownMisses {
		m.wrong = append(m.wrong, miss{row, got, label})
	}
}

// accuracy is right / rows. Match has seen at least one row before it is asked.
func (m *AccuracyMatcher) accuracy() float64 { return float64(m.right) / float64(len(m.labels)) }

// FailureMessage implements Gomega's matcher.
func (m *AccuracyMatcher) FailureMessage(any) string { return m.message("to be at least") }

// NegatedFailureMessage implements Gomega's matcher.
func (m *AccuracyMatcher) NegatedFailureMessage(any) string { return m.message("to be below") }

func (m *AccuracyMatcher) message(verb string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Expected top-1 accuracy\n    %.6g (%d of %d rows)\n%s\n    %g",
		m.accuracy(), m.right, len(m.labels), verb, m.atLeast)
	for i, w := range m.wrong {
		if i == 0 {
			b.WriteString("\nfirst wrong rows:")
		}
		switch w.got {
		case hasNaN:
			fmt.Fprintf(&b, "\n    row %d: a NaN score, label %d", w.row, w.label)
		case isFlat:
			fmt.Fprintf(&b, "\n    row %d: all scores are equal, label %d", w.row, w.label)
		default:
			fmt.Fprintf(&b, "\n    row %d: class %d, label %d", w.row, w.got, w.label)
		}
	}
	return b.String()
}

// MatchMayChangeInTheFuture tells Eventually that polling again would change nothing.
func (m *AccuracyMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String names the matcher inside composed ones.
func (m *AccuracyMatcher) String() string {
	return fmt.Sprintf("have top-1 accuracy of at least %g", m.atLeast)
}

// GomegaString keeps Gomega from printing every label.
func (m *AccuracyMatcher) GomegaString() string { return m.String() }
