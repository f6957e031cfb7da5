package matchers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/noise"
)

// goldenFile is an expected side that is read from a golden file. Every Match reads the file again,
// because another spec may have accepted a change since.
type goldenFile struct {
	name string
	own  *ownFile // set for a file named after its spec; nil otherwise

	perEngine bool
	tried     []string // with PerEngine: the candidate names, in order
}

// ownFile identifies a matcher to which no file name was passed. The file is named after the spec,
// and only one matcher of the spec may use it. The address of the ownFile identifies that matcher.
type ownFile struct{ _ byte }

// reference reads the golden file, which may contain only samples. It stops if the actual run's
// context ends.
func (g goldenFile) reference(actual side) (*golden.Reference, error) {
	path, err := goldentree.Path(g.name)
	if err != nil {
		return nil, err
	}
	return golden.ReadReference(actual.context(), path)
}

// unreadable adds a remedy to an error about a golden file: the command that writes the file or, if
// an update has refused to write it, the reason for that.
func (m *comparer) unreadable(g goldenFile, err error, c *comparison) error {
	if goldentree.IsProtected(err) {
		return err
	}
	if c.unwritten != "" {
		return fmt.Errorf("%w; not written: %s", err, c.unwritten)
	}
	if why := m.prevented(c.actual); why != "" {
		return fmt.Errorf("%w; an update cannot write it from this run: %s", err, why)
	}
	again := ""
	if !errors.Is(err, fs.ErrNotExist) {
		again = "again "
	} else if g.own != nil {
		err = fmt.Errorf("%w; the file is named after the spec's text: if you changed the text, "+
			"rename the file", err)
	}
	return fmt.Errorf("%w; to write it %sfrom this run%s", err, again, m.accepting())
}

func (g goldenFile) String() string {
	if g.name == "" && g.own != nil {
		return "the golden file named after the spec's text"
	}
	path, err := goldentree.Path(g.name)
	text := "the golden file " + path
	switch {
	case err != nil:
		text = fmt.Sprintf("the golden file %q", g.name)
	case g.own != nil:
		text += ", named after the spec's text"
	}
	if g.tried != nil {
		text += ", the first existing file among " + strings.Join(g.tried, ", ")
	} else if g.perEngine {
		text += ", or the engine's own file"
	}
	return text
}

// spec returns the spec that is running, or nil if no test runner has announced one. If the golden
// file is updated, it is written when this spec ends.
func (m *comparer) spec() *golden.Spec {
	if m.test != nil {
		return golden.In(m.test, Announce)
	}
	return golden.Current()
}

// update performs the requested update, or stages it until the spec ends. It returns the file's new
// content. It returns nil if Match must compare with the existing file instead, for example if:
//   - no update is requested,
//   - several engines share the file, and the run already matches it, or
//   - the assertion might pass although the run does not match, as inside Not or Or.
func (m *comparer) update(g goldenFile, c *comparison) (found *golden.Reference, err error) {
	mode, err := golden.Updating()
	if err != nil || mode == golden.Off {
		return nil, err
	}
	holds := false
	if g, holds, err = m.ownOfEngine(g, c); err != nil || holds {
		return nil, err
	}
	path, err := goldentree.Path(g.name)
	if err != nil {
		return nil, err
	}
	if t, ok := m.test.(interface{ Context() context.Context }); ok && t.Context().Err() != nil {
		return nil, fmt.Errorf("cannot write %s: the test %s passed to In has ended, or is cleaning up: "+
			"pass the t of the running test", path, m.test.Name())
	}
	spec, asked := m.spec(), asserted()
	if why := asked.prevents(m.constructor, spec); why != "" {
		c.unwritten = path + ": " + why
		return nil, nil
	}
	run := c.actual.run
	err = m.refuses(c.actual, m.nonFinite)
	if err == nil && m.noise { // the noise of the run itself, which does not depend on the file
		run, err = noise.Measured(run, noise.In(m.engine))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	p, err := golden.Prepare(mode, path, run, golden.Options{AllowNonFinite: m.nonFinite,
		Spec: spec, By: asked.at, Tolerance: strings.Join(m.held(), "; "),
		Layout: m.layout, Under: m.under.options,
		Judge: func(now, old *backends.Run) (compare.Report, error) {
			return m.judgeOld(c, now, old)
		}})
	if err != nil {
		return nil, err
	}
	c.change, c.held = p.Change, p.Report
	if spec != nil {
		err = spec.Stage(p)
	} else if c.change, err = p.Commit(); err == nil {
		Announce(c.change)
		if c.change.Proposed { // in this mode no spec fails later, so compare with the file as it is
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return p.Expected(), nil // nil if the mode keeps a damaged file: reading it reports the damage
}

// judgeOld compares the run under test with the golden file that an update would replace.
func (m *comparer) judgeOld(c *comparison, now, old *backends.Run) (compare.Report, error) {
	if m.noise {
		return m.judgeOldNoise(c.actual, old)
	}
	if m.decision != nil {
		judged := comparison{actual: c.actual, expected: side{sets: old.Outputs(), run: old}}
		err := m.decision.judge(&judged, m.engine)
		return judged.report, err
	}
	return m.compareRuns(now, old)
}

// accepting returns text to append to a message: the command that accepts the change for the
// current spec alone. If no command can do that, the text says what the suite lacks, and names a
// command that accepts the changes of more specs.
func (m *comparer) accepting() string {
	if spec := m.spec(); spec != nil {
		return ": " + goldentree.AcceptCommand(spec.Chosen...)
	}
	test, alone, ginkgo := plainTest()
	if alone {
		return ": " + goldentree.AcceptCommand(goldentree.OnlyTest(test))
	}
	add, all, chosen := "add .In(t) to the matcher", "the package", []string(nil)
	if ginkgo {
		add = "add var _ = ginkgoreport.Suite() to the suite"
	} else if test != "" {
		all, chosen = test, []string{goldentree.OnlyTest(test)}
	}
	return fmt.Sprintf(", together with all other changes in %s (to select this spec alone, %s): %s",
		all, add, goldentree.AcceptCommand(chosen...))
}

// prevented says why an update would not write the matcher's file from the actual run. It returns
// "" if an update would.
func (m *comparer) prevented(actual side) string {
	if m.format != nil {
		return m.constructor + " only reads it; to write it, use MatchGolden with a float32 run"
	}
	if asked := asserted(); asked.inside != custom { // of a custom matcher, only the update can tell
		if why := asked.prevents(m.constructor, m.spec()); why != "" {
			return why
		}
	}
	if err := m.refuses(actual, true); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		return why
	}
	return ""
}

// prevents says why an update does not write the file of a matcher in such an assertion, and what
// to change. It returns "" if an update does. If spec is not nil, the update waits for its end.
func (a assertion) prevents(matcher string, spec *golden.Spec) string {
	switch {
	case a.inside != "":
		return fmt.Sprintf("an update never writes from inside %s, where a spec can pass although %s "+
			"fails; to update the file, assert %[2]s alone", a.inside, matcher)
	case a.composed && spec == nil:
		return matcher + " is combined with other matchers; to update the file, assert it alone, " +
			"add var _ = ginkgoreport.Suite() to the suite, or add .In(t) to the matcher"
	}
	return ""
}

// refuses returns an error if a golden file made from the run would not match the same run. If
// nonFinite is false, refuses does not test for NaN and infinities, because [golden.Prepare]
// rejects them without AllowNonFinite.
func (m *comparer) refuses(actual side, nonFinite bool) error {
	if actual.run == nil {
		return fmt.Errorf("a golden file records the engine that made it, so pass a *backends.Run to "+
			"Expect, not %v", actual)
	}
	if m.decision != nil {
		_, err := decisions.Judge(m.decision.rule, actual.sets, actual.sets)
		return err
	}
	rules := m.rules()
	rules.Names = nil // both sides have the same names
	if !nonFinite {
		rules.NaNEqual, rules.InfinitiesEqual = true, true
	}
	report, err := compare.Runs(actual.sets, actual.sets, rules)
	if err != nil {
		return err
	}
	if report.Verdict == compare.Fail {
		return fmt.Errorf("the run would not match its own golden file; if it may contain NaN or "+
			"infinities, the matcher needs .AllowNonFinite() and "+
			".Under(compare.Options{NaNEqual: true, InfinitiesEqual: true})\n%s", report.Text())
	}
	return nil
}
