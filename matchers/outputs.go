package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/noise"
)

// comparer compares a run with another run or a golden file. Every matcher of two sides embeds one.
type comparer struct {
	constructor string          // for errors
	all         held            // for every output without an entry in outputs
	outputs     map[string]held // overrides, by output name
	under       under           // without checks: those are made of all and outputs
	reference   reference       // nil until Of, OfGolden or OfFile
	nonFinite   bool            // a golden may be written with NaN and infinities
	layout      golden.Layout   // of a golden file that is written
	test        golden.T        // whose end an update waits for; nil if unknown
	reportTo    []func(compare.Pair)
	locating    bool         // name the first node that differs
	noise       *byNoise     // of MatchWithinNoise; nil otherwise
	lower       *byPrecision // of NoWorseThan; nil otherwise
	decision    *byDecision  // of MatchDecisions; nil otherwise
	misuse      error        // of the methods; Match returns it, since they cannot

	last comparison // of the last Match, for the messages
}

// comparison is the result of Match. Only a message turns it into text, so a passing spec does not
// pay for that.
type comparison struct {
	reference        reference // of this Match
	actual, expected side
	report           compare.Report
	change           golden.Change    // of the golden file, made or staged before the comparison
	unwritten        string           // why a requested update did not write it
	old              *backends.Run    // in mode golden.Diff: the file's run, if any
	held             compare.Report   // and the comparison with it
	noise            *noise.Reference // of MatchWithinNoise
	lower            string           // of NoWorseThan: where the format's errors come from
	decided          *decisions.Findings
	sampled          *sampled // of a sampled golden file; nil otherwise
}

// Match implements Gomega's matcher. It compares, and rewrites the golden file during an update
// (see [MatchGolden]).
func (m *comparer) Match(actual any) (bool, error) {
	var err error
	if m.last, err = m.compare(actual); err != nil {
		return false, fmt.Errorf("%s: %w", m.constructor, err)
	}
	if m.last.unwritten != "" && m.last.report.Verdict == compare.Fail {
		say("golden not written: " + m.last.unwritten)
	}
	if s := m.last.sampled; s != nil && m.last.report.Verdict == compare.Pass {
		for _, words := range s.words {
			say(fmt.Sprintf("golden sampled: %v: %s", m.last.reference, words))
		}
	}
	for _, show := range m.reportTo {
		show(m.outcome())
	}
	return m.last.report.Verdict == compare.Pass, nil
}

func (m *comparer) compare(value any) (c comparison, err error) {
	if err := m.unusable(); err != nil {
		return c, err
	}
	if c.actual, err = sideOf(value); err != nil {
		return c, fmt.Errorf("the actual value: %w", err)
	}
	if c.reference, err = m.referenceNow(c.actual); err != nil {
		return c, err
	}
	if g, ok := c.reference.(goldenFile); ok {
		err = m.readGolden(g, &c)
	} else {
		c.expected, err = c.reference.read(c.actual)
	}
	if err != nil {
		return c, err
	}
	return c, m.judge(&c)
}

// judge compares the two sides.
func (m *comparer) judge(c *comparison) (err error) {
	if c.actual, err = c.actual.named(c.expected); err != nil {
		return fmt.Errorf("the actual value: %w", err)
	}
	if c.expected, err = c.expected.named(c.actual); err != nil {
		return fmt.Errorf("the expected value: %w", err)
	}
	switch {
	case m.noise != nil:
		c.report, c.noise, err = m.noise.judge(c.actual, c.expected, m.under.options)
	case m.lower != nil:
		c.report, c.lower, err = m.lower.judge(c.actual, c.expected, m.under.options)
	case m.decision != nil:
		c.report, c.decided, err = m.decision.judge(c.actual, c.expected)
	default:
		if c.report, err = compare.Runs(c.actual.sets, c.expected.sets, m.rules()); err == nil {
			c.holdSample()
		}
	}
	return err
}

// unusable reports misuse of the matcher.
func (m *comparer) unusable() error {
	if m.misuse != nil {
		return m.misuse
	}
	if m.reference == nil {
		return errors.New("nothing to compare with: " +
			"add .Of(another run), .OfGolden(name) or .OfFile(path)")
	}
	return nil
}

// rules are the options of the comparison. Without a check every element must be equal, since there
// is no default tolerance.
func (m *comparer) rules() compare.Options {
	o := m.under.options
	if o.Checks = m.all.checks(); len(o.Checks) == 0 {
		o.Checks = []compare.Check{exact}
	}
	o.PerOutput = make(map[string][]compare.Check, len(m.outputs))
	for name, own := range m.outputs {
		o.PerOutput[name] = own.checks()
	}
	return o
}

// exact is the check of a matcher without a tolerance.
var exact = compare.Within(0, 0, compare.Elementwise)
