package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/compare/decisions"
)

// HaveAveragePrecision succeeds if a detector's AP on labelled images is at least atLeast. AP is
// COCO's average precision: the mean over classes and over the IoU thresholds 0.50, 0.55, … 0.95.
// truth has one entry for each image of all iterations. The failure message also shows AP at the
// thresholds 0.50 and 0.75, and the 95 % confidence interval from a bootstrap over the images.
// With [AveragePrecisionMatcher.Confidently], the matcher compares the lower end of this interval
// with atLeast.
//
//	Expect(ort.Run(ctx, detector, images)).To(HaveAveragePrecision(truth, layout, 0.35))
//
// The matcher fails if a box or a score is NaN or infinite. It is an error if there are fewer than
// two images, if no image contains an object, if the outputs do not fit the layout, or if atLeast
// is 0.
func HaveAveragePrecision(truth [][]decisions.Truth, layout decisions.Layout, atLeast float64,
) *AveragePrecisionMatcher {
	return &AveragePrecisionMatcher{truth: truth, layout: layout, atLeast: atLeast}
}

// AveragePrecisionMatcher is the matcher that [HaveAveragePrecision] creates.
type AveragePrecisionMatcher struct {
	truth   [][]decisions.Truth
	layout  decisions.Layout
	atLeast float64
	sure    bool

	// The remaining fields describe the last Match, for the messages.
	found decisions.Estimate
	all   decisions.COCOSummary
	wrong *decisions.NotFiniteError // the first NaN or infinite number of the run
}

// Confidently makes the matcher compare the lower end of the 95 % confidence interval with the
// required AP, instead of the measured AP itself.
func (m *AveragePrecisionMatcher) Confidently() *AveragePrecisionMatcher {
	return &AveragePrecisionMatcher{truth: m.truth, layout: m.layout, atLeast: m.atLeast, sure: true}
}

// Match implements Gomega's matcher interface.
func (m *AveragePrecisionMatcher) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	if holds, err = m.match(actual); err != nil {
		return false, fmt.Errorf("HaveAveragePrecision: %w", err)
	}
	return holds, nil
}

func (m *AveragePrecisionMatcher) match(actual any) (bool, error) {
	if !(m.atLeast > 0 && m.atLeast <= 1) {
		return false, fmt.Errorf("the required AP is %g: want more than 0 and at most 1",
			m.atLeast)
	}
	s, err := sideOf(actual)
	if err != nil {
		return false, err
	}
	m.wrong = nil
	images, err := m.layout.Labelled(s.sets, m.truth)
	if errors.As(err, &m.wrong) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if m.found, err = decisions.AveragePrecision(images); err != nil {
		return false, err
	}
	m.all = decisions.COCO(images)
	found := m.found.Value
	if m.sure {
		found = m.found.Least
	}
	return found >= m.atLeast-1e-12, nil // COCO's precision of a perfect run is 1/(1+2⁻⁵²)
}

// FailureMessage implements Gomega's matcher interface.
func (m *AveragePrecisionMatcher) FailureMessage(any) string { return m.message("to be at least") }

// NegatedFailureMessage implements Gomega's matcher interface.
func (m *AveragePrecisionMatcher) NegatedFailureMessage(any) string {
	return m.message("to be below")
}

func (m *AveragePrecisionMatcher) message(verb string) string {
	want := required(m.atLeast, m.sure)
	if m.wrong != nil {
		return fmt.Sprintf("Expected AP on %d labelled images %s\n    %s\nbut %v", len(m.truth), verb,
			want, m.wrong)
	}
	return fmt.Sprintf("Expected AP on %d labelled images\n    %v\n%s\n    %s\n"+
		"AP at IoU 0.50 is %.4g, at 0.75 %.4g", len(m.truth), m.found, verb, want, m.all.AP50, m.all.AP75)
}

// String describes the matcher in the messages of an enclosing matcher, such as And.
func (m *AveragePrecisionMatcher) String() string {
	return fmt.Sprintf("have an AP of at least %s on %d labelled images",
		required(m.atLeast, m.sure), len(m.truth))
}

// GomegaString keeps Gomega from printing the matcher field by field.
func (m *AveragePrecisionMatcher) GomegaString() string { return m.String() }
