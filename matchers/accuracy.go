package matchers

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// AccuracyMatcher is what [HaveTop1Accuracy] and [HaveTopKAccuracy] return.
type AccuracyMatcher struct {
	labels  []int
	k       int // a row is right whose label is among the k greatest scores
	atLeast float64
	output  string
	sure    bool // the share that 95 % confidence leaves possible counts

	// State of the last Match, for the messages.
	right int
	wrong []miss       // the first few
	taken map[miss]int // how often a label was taken for a class; the row is 0
}

// miss is one row whose greatest score is not at its label.
type miss struct{ row, got, label int }

// shownMisses is how many wrong rows a message names.
const shownMisses = 5

// OfOutput names the output that holds the scores. It is needed where there are several.
func (m *AccuracyMatcher) OfOutput(name string) *AccuracyMatcher {
	return &AccuracyMatcher{labels: m.labels, k: m.k, atLeast: m.atLeast, output: name, sure: m.sure}
}

// Confidently holds the least accuracy that 95 % confidence leaves possible to the share, in place
// of the accuracy of these rows: the lower end of Wilson's interval. A few rows then prove little.
func (m *AccuracyMatcher) Confidently() *AccuracyMatcher {
	return &AccuracyMatcher{labels: m.labels, k: m.k, atLeast: m.atLeast, output: m.output, sure: true}
}

// name is the constructor, for errors.
func (m *AccuracyMatcher) name() string {
	if m.k == 1 {
		return "HaveTop1Accuracy"
	}
	return "HaveTopKAccuracy"
}

// Match implements Gomega's matcher.
func (m *AccuracyMatcher) Match(actual any) (bool, error) {
	holds, err := m.match(actual)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.name(), err)
	}
	return holds, nil
}

func (m *AccuracyMatcher) match(actual any) (bool, error) {
	m.right, m.wrong, m.taken = 0, nil, map[miss]int{}
	switch {
	case m.k < 1:
		return false, fmt.Errorf("k is %d: want 1 or more", m.k)
	case !(m.atLeast >= 0 && m.atLeast <= 1):
		return false, fmt.Errorf("the share must be between 0 and 1, got %g", m.atLeast)
	case m.atLeast == 0:
		return false, errors.New("every run has an accuracy of at least 0, so nothing could fail: " +
			"give a share above 0")
	}
	s, err := sideOf(actual)
	if err != nil {
		return false, err
	}
	tensors, err := theOutput(s, m.output, "OfOutput")
	if err != nil {
		return false, err
	}
	row := 0
	for _, t := range tensors {
		shape := t.Shape()
		if len(shape) == 0 || t.Len() == 0 || t.ElementType() == tensor.String {
			return false, fmt.Errorf("%v%v has no axis of scores per class", t.ElementType(), shape)
		}
		classes := shape[len(shape)-1]
		switch {
		case classes == 1:
			return false, fmt.Errorf("%v%v has one class, which always has the greatest score",
				t.ElementType(), shape)
		case m.k >= classes:
			return false, fmt.Errorf("the label is always among the %d greatest of %d scores: give a "+
				"smaller k", m.k, classes)
		}
		for start := 0; start < t.Len(); start += classes {
			if row >= len(m.labels) {
				return false, fmt.Errorf("more rows of scores than the %d labels", len(m.labels))
			}
			label := m.labels[row]
			if label < 0 || label >= classes {
				return false, fmt.Errorf("label %d of row %d is not one of the %d classes", label, row,
					classes)
			}
			m.count(row, label, top1(t.Float64At, start, classes),
				leading(t.Float64At, start, classes, label) < m.k)
			row++
		}
	}
	if row != len(m.labels) {
		return false, fmt.Errorf("%d rows of scores for %d labels", row, len(m.labels))
	}
	return m.judged() >= m.atLeast, nil
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

// leading is how many scores stand before that of a class: greater ones, and equal ones of lower
// classes.
func leading(score func(int) float64, start, n, class int) (before int) {
	own := score(start + class)
	for i := range n {
		if v := score(start + i); v > own || v == own && i < class {
			before++
		}
	}
	return before
}

// count counts a row. One without a greatest score is wrong.
func (m *AccuracyMatcher) count(row, label, got int, leads bool) {
	if leads && got >= 0 {
		m.right++
		return
	}
	m.taken[miss{0, got, label}]++
	if len(m.wrong) < shownMisses {
		m.wrong = append(m.wrong, miss{row, got, label})
	}
}

// accuracy is right / rows. Match has seen at least one row before it is asked.
func (m *AccuracyMatcher) accuracy() float64 { return float64(m.right) / float64(len(m.labels)) }

// interval bounds the accuracy with 95 % confidence.
func (m *AccuracyMatcher) interval() (least, most float64) {
	return decisions.Wilson(m.right, len(m.labels), 1.959963984540054)
}

// judged is what is held to the share.
func (m *AccuracyMatcher) judged() float64 {
	if least, _ := m.interval(); m.sure {
		return least
	}
	return m.accuracy()
}

// FailureMessage implements Gomega's matcher.
func (m *AccuracyMatcher) FailureMessage(any) string { return m.message("to be at least") }

// NegatedFailureMessage implements Gomega's matcher.
func (m *AccuracyMatcher) NegatedFailureMessage(any) string { return m.message("to be below") }

func (m *AccuracyMatcher) message(verb string) string {
	var b strings.Builder
	least, most := m.interval()
	fmt.Fprintf(&b, "Expected top-%d accuracy\n    %.6g (%d of %d rows; %.3g to %.3g with 95 %% "+
		"confidence)\n%s\n    %g", m.k, m.accuracy(), m.right, len(m.labels), least, most, verb,
		m.atLeast)
	if m.sure {
		b.WriteString(" with 95 % confidence")
	}
	for i, w := range m.wrong {
		if i == 0 {
			b.WriteString("\nfirst wrong rows:")
		}
		fmt.Fprintf(&b, "\n    row %d: %s, label %d", w.row, w.class(), w.label)
	}
	if worst, n := m.confused(); n > 1 {
		fmt.Fprintf(&b, "\nmost often: %s for label %d, %d rows", worst.class(), worst.label, n)
	}
	return b.String()
}

// confused is the label and class that were confused most often, the lowest of equal ones.
func (m *AccuracyMatcher) confused() (worst miss, rows int) {
	for pair, n := range m.taken {
		if n > rows || n == rows && (pair.label < worst.label ||
			pair.label == worst.label && pair.got < worst.got) {
			worst, rows = pair, n
		}
	}
	return worst, rows
}

// class is what a wrong row names.
func (w miss) class() string {
	switch w.got {
	case hasNaN:
		return "a NaN score"
	case isFlat:
		return "all scores are equal"
	}
	return fmt.Sprintf("class %d", w.got)
}

// MatchMayChangeInTheFuture tells Eventually that polling again would change nothing.
func (m *AccuracyMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String names the matcher inside composed ones.
func (m *AccuracyMatcher) String() string {
	text := fmt.Sprintf("have top-%d accuracy of at least %g", m.k, m.atLeast)
	if m.sure {
		text += " with 95 % confidence"
	}
	return text
}

// GomegaString keeps Gomega from printing every label.
func (m *AccuracyMatcher) GomegaString() string { return m.String() }
