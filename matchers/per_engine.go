package matchers

import (
	"fmt"
	"os"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

// ofEngine chooses the first candidate whose file exists or, if there is none, the most specific
// candidate.
func (g goldenFile) ofEngine(actual side) (goldenFile, error) {
	if actual.run == nil {
		return g, fmt.Errorf("%v does not name its engine, so PerEngine cannot choose a file: pass a "+
			"*backends.Run to Expect", actual)
	}
	g.tried = golden.Variants(g.name, actual.made)
	for _, name := range g.tried {
		path, err := goldentree.Path(name)
		if err != nil {
			return g, err
		}
		if _, err := os.Lstat(path); err == nil {
			g.name = name
			return g, nil
		}
	}
	g.name = g.tried[0]
	return g, nil
}

// ownOfEngine returns the file that an update may write. An update must not overwrite a file that
// other engines share. So if the run does not match a shared file, ownOfEngine returns the file
// with the most specific name. holds is true if the run matches a shared file.
func (m *comparer) ownOfEngine(g goldenFile, c *comparison) (own goldenFile, holds bool,
	err error) {
	if g.tried == nil || g.name == g.tried[0] {
		return g, false, nil
	}
	held := comparison{actual: c.actual}
	r, err := g.reference(c.actual)
	if err == nil {
		err = held.expect(r)
	}
	if err == nil {
		err = m.judge(&held)
	}
	if err != nil {
		return g, false, err
	}
	if held.report.Verdict == compare.Pass {
		return g, true, nil
	}
	g.name = g.tried[0]
	c.reference = g
	return g, false, nil
}
