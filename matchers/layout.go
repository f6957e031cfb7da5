package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

// Inline says how many bytes of data a golden file holds itself when it is next written; the
// largest outputs beyond that go into compressed files beside it. Without it that is 1 MiB, or what
// GOLDEN_INLINE says. A negative number keeps all data in the file.
func (m *OutputsMatcher) Inline(bytes int64) *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) { c.layout.Inline = bytes })
}

// Sampled makes the golden file, when it is next written, keep that many elements of each output
// that has more, with the statistics of all of them and checksums of blocks. Such a file vouches
// for the sample: every comparison with it says how much was compared. It cannot be used by
// MatchWithinNoise or by decisions, which need whole outputs.
func (m *OutputsMatcher) Sampled(elements int) *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) {
		if c.layout.Sample = elements; elements < 1 {
			c.misuse = errors.Join(c.misuse, fmt.Errorf("Sampled(%d): a sample has elements", elements))
		}
	})
}

// onlyGolden is an error where something is said of a golden file and there is none, or of a sample
// where the rule needs whole outputs.
func (m *OutputsMatcher) onlyGolden() error {
	_, ok := m.reference.(goldenFile)
	switch {
	case ok && m.layout.Sample > 0 && m.needsWhole() != "":
		return fmt.Errorf("a sample lacks the whole outputs that %s", m.needsWhole())
	case ok:
		return nil
	case m.nonFinite:
		return errors.New("AllowNonFinite applies only to golden files")
	case m.layout != golden.Layout{}:
		return errors.New("Inline and Sampled apply only to golden files")
	}
	return nil
}

// needsWhole says what needs whole outputs, "" where elements of them will do.
func (m *OutputsMatcher) needsWhole() string {
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
func (m *OutputsMatcher) readGolden(g goldenFile, c *comparison) (err error) {
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
