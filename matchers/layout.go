package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

// needsWhole names what the matcher compares, such as "decisions", if the comparison needs complete
// outputs. It returns "" if sampled outputs are enough.
func (m *comparer) needsWhole() string {
	switch {
	case m.noise != nil:
		return "noise"
	case m.lower != nil:
		return "the errors of a lower precision"
	case m.decision != nil:
		return "decisions"
	}
	return ""
}

// sampled holds what a comparison with a sampled golden file needs.
type sampled struct {
	reference *golden.Reference
	whole     []*tensor.Set // the complete outputs of the actual side
	words     []string
}

// readGolden performs a requested update and reads the expected side. If the file is sampled, it
// reduces the actual outputs to the same elements.
func (m *comparer) readGolden(g goldenFile, c *comparison) (err error) {
	var r *golden.Reference
	if m.lower == nil { // NoWorseThan never writes its reference
		if r, err = m.update(g, c); err != nil {
			return err
		}
	}
	if r == nil {
		if r, err = g.reference(c.actual); err != nil {
			return m.unreadable(g, err, c.unwritten)
		}
	}
	if c.expected, err = sideOf(r.Run); err != nil || !r.Sampled {
		return err
	}
	if what := m.needsWhole(); what != "" {
		return fmt.Errorf("%v contains only a sample, but comparing %s needs complete outputs", g, what)
	}
	s := &sampled{reference: r, whole: c.actual.sets}
	c.actual.sets, s.words = r.Of(c.actual.sets, m.under.options)
	c.sampled = s
	return nil
}

// holdSample notes in the report how much of the outputs was compared.
func (m *comparer) holdSample(c *comparison) error {
	if s := c.sampled; s != nil {
		return s.reference.Hold(&c.report, s.whole, s.words, m.under.options)
	}
	return nil
}
