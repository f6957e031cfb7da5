package matchers

import (
	"errors"
	"fmt"
	"os"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// PerEngine holds each run to the golden file of its engine, precision and device, where there is
// one, and else to a more general one, in the order of [golden.Variants]:
//
//	resnet18@tensorrt-fp16-sm90, resnet18@tensorrt-fp16, resnet18@tensorrt, resnet18
//
// The reference in messages and reports names the order. An update keeps whichever of them holds
// the run within the tolerance; where none does, it writes the most specific one, and never a file
// that other engines are held to. `modelparity compare` with all of the files shows which
// agree.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchGolden("resnet18").PerEngine().Within(1e-2, 1e-2, Elementwise))
func (m *OutputsMatcher) PerEngine() *OutputsMatcher {
	return m.changed(func(c *OutputsMatcher) {
		g, ok := c.reference.(goldenFile)
		if !ok {
			c.misuse = errors.Join(c.misuse, errors.New("PerEngine applies only to golden files: put it "+
				"behind MatchGolden or OfGolden"))
			return
		}
		g.perEngine = true
		c.reference = g
	})
}

// ofEngine is the first file there is of those that the run may be held to, or the most specific.
func (g goldenFile) ofEngine(actual side) (goldenFile, error) {
	if actual.run == nil {
		return g, fmt.Errorf("%v says no engine, so it has no golden file per engine: give the matcher "+
			"a *backends.Run", actual)
	}
	g.tried = golden.Variants(g.name, actual.made)
	for _, name := range g.tried {
		path, err := golden.Path(name)
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

// ownOfEngine is the file that an update is about: one that other engines are held to as well
// stays, and the run gets a file of its own where it does not hold to that; holds says it does.
func (m *OutputsMatcher) ownOfEngine(g goldenFile, c *comparison) (own goldenFile, holds bool,
	err error) {
	if g.tried == nil || g.name == g.tried[0] {
		return g, false, nil
	}
	judged := m.changed(func(m *OutputsMatcher) { m.reference = goldenFile{name: g.name} })
	held := comparison{actual: c.actual, reference: judged.reference}
	r, err := goldenFile{name: g.name}.reference(c.actual)
	if err == nil {
		held.expected, err = sideOf(r.Run)
	}
	if err != nil {
		return g, false, err
	}
	if r.Sampled() {
		held.sampled = &sampled{reference: r, whole: c.actual.sets}
		held.actual.sets, held.sampled.words = r.Of(c.actual.sets)
	}
	if err := judged.judge(&held); err != nil {
		return g, false, err
	}
	if held.report.Verdict == compare.Pass {
		return g, true, nil
	}
	g.name = g.tried[0]
	c.reference = g
	return g, false, nil
}
