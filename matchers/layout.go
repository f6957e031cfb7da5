package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/compare"
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
		return "rounding errors"
	case m.decision != nil:
		return "decisions"
	}
	return ""
}

// sampled contains what a comparison with a sampled golden file needs.
type sampled struct {
	reference *golden.Reference
	whole     []*tensor.Set // the complete outputs of the actual side
	notes     []string      // how much of each output the file can verify
}

// read performs a requested update and reads the golden file.
func (g goldenFile) read(m *comparer, c *comparison) (err error) {
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
	if what := m.needsWhole(); r.Sampled && what != "" {
		return fmt.Errorf("%v contains only a sample, but comparing %s needs complete outputs", g, what)
	}
	return c.expect(r, m.under.options)
}

// expect makes r the expected side. If r is sampled, expect reduces the actual outputs to the same
// elements.
func (c *comparison) expect(r *golden.Reference, o compare.Options) (err error) {
	if c.expected, err = sideOf(r.Run); err == nil && r.Sampled {
		c.sampled = &sampled{reference: r, whole: c.actual.sets}
		c.actual.sets, c.sampled.notes = r.Of(c.actual.sets, o)
	}
	return err
}

// holdSample notes in the report how much of the outputs was compared.
func (m *comparer) holdSample(c *comparison) error {
	if s := c.sampled; s != nil {
		return s.reference.Hold(&c.report, s.whole, s.notes, m.under.options)
	}
	return nil
}
