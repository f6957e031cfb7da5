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
	case m.renames():
		return "outputs that have other names in the file"
	}
	return ""
}

// renames reports whether the two sides may have different names for the same output.
func (m *comparer) renames() bool {
	return len(m.under.options.Names) > 0 || m.under.options.ByPosition
}

// sampled contains what a comparison with a sampled golden file needs.
type sampled struct {
	reference *golden.Reference
	whole     []*tensor.Set // the complete outputs of the actual side
	words     []string      // how much of each output was compared
}

// readGolden performs a requested update and reads the expected side.
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
	if what := m.needsWhole(); r.Sampled && what != "" {
		return fmt.Errorf("%v contains only a sample, but comparing %s needs complete outputs", g, what)
	}
	return c.expect(r)
}

// expect makes r the expected side. If r is sampled, expect reduces the actual outputs to the same
// elements.
func (c *comparison) expect(r *golden.Reference) (err error) {
	if c.expected, err = sideOf(r.Run); err == nil && r.Sampled {
		c.sampled = &sampled{reference: r, whole: c.actual.sets}
		c.actual.sets = r.Of(c.actual.sets)
	}
	return err
}

// holdSample completes the report of a comparison with a sampled golden file: it notes how much of
// each output was compared, and fails an output whose statistics differ too much.
func (m *comparer) holdSample(c *comparison) (err error) {
	if s := c.sampled; s != nil {
		s.words, err = s.reference.Hold(&c.report, s.whole, m.under.options)
	}
	return err
}
