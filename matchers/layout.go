package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

// needsWhole says what needs whole outputs, "" where elements of them will do.
func (m *comparer) needsWhole() string {
	switch {
	case m.noise != nil:
		return "noise is measured on"
	case m.lower != nil:
		return "NoWorseThan compares"
	case m.decision != nil:
		return "decisions are made of"
	}
	return ""
}

// sampled is what a comparison with a sample is about.
type sampled struct {
	reference *golden.Reference
	whole     []*tensor.Set // of the actual side
	words     []string
}

// readGolden gives the expected side of a golden file, after an update that was asked for. Where
// the file holds a sample, the actual side becomes the same elements.
func (m *comparer) readGolden(g goldenFile, c *comparison) (err error) {
	var r *golden.Reference
	if m.lower == nil { // which never writes its reference
		if r, err = m.update(g, c); err != nil {
			return err
		}
	}
	if r == nil {
		if r, err = g.reference(c.actual); err != nil {
			return m.unreadable(g, err, c.unwritten)
		}
	}
	if c.expected, err = sideOf(r.Run); err != nil || !r.Sampled() {
		return err
	}
	if what := m.needsWhole(); what != "" {
		return fmt.Errorf("%v holds a sample, not the whole outputs that %s", g, what)
	}
	s := &sampled{reference: r, whole: c.actual.sets}
	c.actual.sets, s.words = r.Of(c.actual.sets)
	c.sampled = s
	return nil
}

// holdSample makes the report say what a sample vouches for.
func (c *comparison) holdSample() {
	if s := c.sampled; s != nil {
		s.reference.Hold(&c.report, s.whole, s.words)
	}
}
