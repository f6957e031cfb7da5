package matchers

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// OutputsMatcher holds a run to another one, or to a golden file. [MatchOutputsWithin],
// [MatchOutputs] and [MatchGolden] make it. Its methods return a changed copy, so that a matcher
// may be kept and completed in several ways.
type OutputsMatcher struct {
	constructor string // for errors
	options     compare.Options
	reference   reference // nil until Of, OfGolden or OfFile
	nonFinite   bool      // a golden may be written with NaN and infinities
	reportTo    func(Outcome)
	misuse      error // of the chain, told by Match: a constructor has nobody to tell

	outcome Outcome // of the last Match, for the messages
}

// Match implements Gomega's matcher. It compares, and rewrites the golden file where that was
// asked for (see [MatchGolden]).
func (m *OutputsMatcher) Match(actual any) (bool, error) {
	m.outcome = Outcome{}
	outcome, err := m.compare(actual)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.constructor, err)
	}
	m.outcome = outcome
	if m.reportTo != nil {
		m.reportTo(outcome)
	}
	return outcome.Report.Verdict == compare.Pass, nil
}

func (m *OutputsMatcher) compare(value any) (Outcome, error) {
	if m.misuse != nil {
		return Outcome{}, m.misuse
	}
	if m.reference == nil {
		return Outcome{}, errors.New("nothing to compare with: " +
			"add .Of(another run), .OfGolden(name) or .OfFile(path)")
	}
	actual, err := sideOf(value)
	if err != nil {
		return Outcome{}, fmt.Errorf("the actual value: %w", err)
	}
	var change golden.Change
	g, isGolden := m.reference.(goldenFile)
	if m.nonFinite && !isGolden {
		return Outcome{}, errors.New("AllowNonFinite is for golden files, and this is none")
	}
	if isGolden {
		if change, err = m.update(g, actual); err != nil {
			return Outcome{}, err
		}
	}
	expected, err := m.reference.read()
	if err != nil {
		return Outcome{}, err
	}
	outcome, err := m.hold(actual, expected)
	if change.Wrote() {
		outcome.Golden = change.String()
	}
	if isGolden {
		outcome.remedy = "\nto accept the change: " + golden.AcceptCommand()
	}
	return outcome, err
}

// hold compares the two sides and says who they are.
func (m *OutputsMatcher) hold(actual, expected side) (Outcome, error) {
	actual, err := actual.named(expected)
	if err != nil {
		return Outcome{}, fmt.Errorf("the actual value: %w", err)
	}
	expected, err = expected.named(actual)
	if err != nil {
		return Outcome{}, fmt.Errorf("the expected value: %w", err)
	}
	report, err := compare.Runs(actual.sets, expected.sets, m.rules())
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Actual: actual.String(), Expected: m.reference.String(), Report: report,
		maker: maker(m.reference, expected), notes: notes(actual, expected)}
	if outcome.maker != "" {
		outcome.Expected += ", made by " + outcome.maker
	}
	return outcome, nil
}

// rules is the options of the comparison. Without any check, every element must be equal: no
// tolerance is ever assumed.
func (m *OutputsMatcher) rules() compare.Options {
	o := m.options
	if len(o.Checks) == 0 {
		o.Checks = []compare.Check{exact}
	}
	return o
}

// exact is the check of a matcher that was given no tolerance.
var exact = compare.Within(0, 0, compare.Elementwise)

// MatchMayChangeInTheFuture tells Eventually that polling a value again would change nothing:
// neither a run nor what it is held to changes.
func (m *OutputsMatcher) MatchMayChangeInTheFuture(any) bool { return false }
