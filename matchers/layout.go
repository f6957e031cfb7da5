package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/golden"
)

// needsWhole names what the matcher compares, such as "rounding errors", if the comparison needs
// complete outputs. It returns "" if sampled outputs are enough.
func (m *comparer) needsWhole() string {
	switch {
	case m.noise:
		return "noise"
	case m.format != nil:
		return "rounding errors"
	case m.decision != nil:
		return "decisions"
	}
	return ""
}

// read performs a requested update and reads the golden file. If the file has no name, it is named
// after the running spec. With PerEngine, the choice of file also depends on the actual run.
func (g goldenFile) read(m *comparer, c *comparison) (err error) {
	if g.own != nil {
		if g.name, err = m.spec().Own(g.own); err != nil {
			return err
		}
	}
	if g.perEngine {
		if g, err = g.ofEngine(c.actual); err != nil {
			return err
		}
	}
	c.reference = g
	var r *golden.Reference
	if m.format == nil { // NoWorseThan never writes its reference
		if r, err = m.update(g, c); err != nil {
			return err
		}
	}
	if r == nil {
		if r, err = g.reference(c.actual); err != nil {
			return m.unreadable(g, err, c)
		}
	}
	if what := m.needsWhole(); r.Sampled && what != "" {
		return fmt.Errorf("%v contains only a sample, but comparing %s needs complete outputs", g, what)
	}
	return c.expect(r)
}

// expect makes the content of a golden file the expected side.
func (c *comparison) expect(r *golden.Reference) (err error) {
	c.file = r
	c.expected, err = sideOf(r.Run)
	return err
}
