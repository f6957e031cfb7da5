package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/observed"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
)

// comparer compares a run with a second run or a file. Every matcher with an expected side embeds
// it.
type comparer struct {
	constructor string              // the constructor's name, for errors
	all         checkSet            // for every output without an entry in outputs
	outputs     map[string]checkSet // overrides, by output name
	under       under               // options without checks; the checks come from all and outputs
	reference   reference           // nil until Of, OfGolden or OfFile
	nonFinite   bool                // whether a golden file may be written with NaN and infinities
	layout      golden.Layout       // how the next update lays out the golden file
	test        golden.T            // the test whose end an update waits for; nil if unknown
	reportTo    []func(compare.Pair)
	locating    bool              // whether a failure names the first node that differs
	noise       bool              // set by MatchWithinNoise
	format      *precision.Format // set by NoWorseThan; nil otherwise
	decision    *byDecision       // set by MatchDecisions; nil otherwise
	engine      backends.Engine   // measures noise or a format's errors; nil for the default
	falseAlarm  float64           // probability for noise or a format; 0 for the default
	misuse      error             // misuse by a method, which cannot return it; Match does

	last comparison // the result of the last Match, for the messages
}

// comparison is the result of Match. It is converted to text only for a message, to keep passing
// specs fast.
type comparison struct {
	reference        reference // the reference that this Match used
	actual, expected side
	report           compare.Report
	change           golden.Change    // the change to the golden file, made or staged before comparing
	unwritten        string           // why a requested update did not write the file
	held             *compare.Report  // with the file before an update; nil if not compared
	noise            *noise.Reference // used by MatchWithinNoise
	rounded          string           // for NoWorseThan: where the format's errors come from
	decided          *decisions.Findings
	rule             decisions.Rule    // with a measured margin
	file             *golden.Reference // the golden file; nil for another expected side
	notes            []string          // how much of each output a sampled golden file can verify
}

// Match implements Gomega's matcher interface. During an update it also rewrites the golden file
// (see [MatchGolden]).
func (m *comparer) Match(actual any) (holds bool, err error) {
	defer escape(&err)
	if m.last, err = m.compare(actual); err != nil {
		return false, fmt.Errorf("%s: %w", m.constructor, err)
	}
	if m.last.unwritten != "" && m.last.report.Verdict == compare.Fail && !asserted().negated {
		say("golden not written: " + m.last.unwritten)
	}
	if m.last.report.Verdict == compare.Pass {
		for _, note := range m.last.notes {
			say(fmt.Sprintf("golden sampled: %v: %s", m.last.reference, note))
		}
	}
	if observed.Comparison != nil {
		observed.Comparison(m.outcome())
	}
	for _, show := range m.reportTo {
		show(m.outcome())
	}
	return m.last.report.Verdict == compare.Pass, nil
}

func (m *comparer) compare(value any) (c comparison, err error) {
	if m.misuse != nil {
		return c, m.misuse
	}
	if m.reference == nil {
		return c, errors.New("nothing to compare with: " +
			"add .Of(another run), .OfGolden(name) or .OfFile(path)")
	}
	if c.actual, err = sideOf(value); err != nil {
		return c, fmt.Errorf("the actual value: %w", err)
	}
	c.reference = m.reference
	if err = c.reference.read(m, &c); err != nil {
		return c, err
	}
	return c, m.judge(&c)
}

// judge compares the two sides by the matcher's rule and stores the report in c.
func (m *comparer) judge(c *comparison) (err error) {
	if c.actual, err = c.actual.named(c.expected); err != nil {
		return fmt.Errorf("the actual value: %w: pass the whole run, and choose the output with "+
			".Under(compare.Options{Only: []string{NAME}})", err)
	}
	if c.expected, err = c.expected.named(c.actual); err != nil {
		return fmt.Errorf("the expected value: %w: select one output with HaveOutput, or put the tensor "+
			"into a *tensor.Set", err)
	}
	switch {
	case m.noise:
		err = m.judgeNoise(c)
	case m.format != nil:
		err = m.judgeFormat(c)
	case m.decision != nil:
		err = m.decision.judge(c, m.engine)
	case c.file != nil:
		c.report, c.notes, err = c.file.Judge(c.actual.asRun(), m.under.options, m.compareRuns)
	default:
		c.report, err = m.compareRuns(c.actual.asRun(), c.expected.asRun())
	}
	return err
}

// compareRuns compares two runs by the matcher's checks.
func (m *comparer) compareRuns(actual, expected *backends.Run) (compare.Report, error) {
	return compare.Runs(actual.Outputs(), expected.Outputs(), m.rules())
}

// rules returns the options of the comparison. There is no default tolerance: if no check is
// given, all elements must be equal.
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

// exact is the check used if no tolerance is set.
var exact = compare.Within(0, 0, compare.Elementwise)
