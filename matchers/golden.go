package matchers

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// goldenFile is a golden file, by its name. It is read anew for every Match, because another spec
// may have accepted a change.
type goldenFile struct{ name string }

func (g goldenFile) read(side) (side, error) {
	path, err := golden.Path(g.name)
	if err != nil {
		return side{}, err
	}
	run, err := golden.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // the error ends with the command already
		return side{}, err
	case golden.IsForeign(err): // an update would not write it either
		return side{}, err
	case err != nil:
		return side{}, fmt.Errorf("%w; to write it again from this run: %s",
			err, golden.AcceptCommand())
	}
	return sideOf(run)
}

func (g goldenFile) String() string {
	path, err := golden.Path(g.name)
	if err != nil {
		return fmt.Sprintf("the golden file %q", g.name)
	}
	return "the golden file " + path
}

// update writes the golden file if the user asked for that, and says what it did. It refuses what
// would not match the very run that was written: then the next run would fail as well.
func (m *OutputsMatcher) update(g goldenFile, actual side) (golden.Change, error) {
	mode, err := golden.Updating()
	if err != nil || mode == golden.Off {
		return golden.Change{}, err
	}
	path, err := golden.Path(g.name)
	if err != nil {
		return golden.Change{}, err
	}
	switch asking() {
	case askedNotToMatch:
		return golden.Change{}, nil
	case askedByNobody:
		return golden.Change{}, fmt.Errorf("%s is not written: Match was not called by Expect(…).To "+
			"or Should, so whether a match is wanted is not known", path)
	}
	if actual.run == nil {
		return golden.Change{}, fmt.Errorf("%s is not written from %v: a golden file says who made "+
			"it, so give the matcher a *backends.Run", path, actual)
	}
	if err := m.refuses(actual); err != nil {
		return golden.Change{}, fmt.Errorf("%s is not written: %w", path, err)
	}
	change, err := golden.Update(path, actual.run, golden.Options{AllowNonFinite: m.nonFinite,
		Holds: func(old *backends.Run) bool {
			report, err := compare.Runs(actual.sets, old.Outputs(), m.rules())
			return err == nil && report.Verdict == compare.Pass
		}})
	if err == nil && change.Notable() {
		announce(change)
	}
	return change, err
}

// refuses says why the matcher would not take a run that is held to itself. NaN is left to package
// golden, unless that was told to let it in.
func (m *OutputsMatcher) refuses(actual side) error {
	rules := m.rules()
	if !m.nonFinite {
		rules.NaNEqual, rules.InfinitiesEqual = true, true
	}
	report, err := compare.Runs(actual.sets, actual.sets, rules)
	if err != nil {
		return err
	}
	if report.Verdict == compare.Fail {
		return fmt.Errorf("the run does not match itself, so no file could pass (NaN needs NaNEqual, "+
			"infinities InfinitiesEqual)\n%s", report.Text())
	}
	return nil
}
