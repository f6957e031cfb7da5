package relations

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/loaders"
)

// Levels requires that every optimisation level of the engine gives the same result as the lowest
// level. By default, differences within rounding noise are allowed, because fused kernels round
// differently. Engines without optimisation levels cannot be judged.
func Levels() Relation {
	return Relation{name: "levels", near: true, check: (*checker).levels,
		text: "every optimisation level gives the same result as the lowest"}
}

// Releases requires that other releases of the engine give the same result as the subject's engine.
// Each word is a release, such as "1.24.4", or a range, such as "1.24..1.31". Each release runs in
// a separate process. By default, differences within rounding noise are allowed. The report lists
// all releases that differ, and describes the difference of the oldest. An engine without releases,
// or a release that is not on this machine, cannot be judged.
func Releases(words ...string) Relation {
	return Relation{name: "releases", near: true,
		text:  "releases " + strings.Join(words, ", ") + " give the same result",
		check: func(c *checker) error { return c.releases(words) }}
}

// Marking requires that the results stay the same if all inner tensors are marked as outputs, which
// prevents engines from fusing nodes (TensorRT#4400, #4338). By default, differences within
// rounding noise are allowed.
func Marking() Relation {
	return Relation{name: "marking", text: "marking inner tensors as outputs changes nothing",
		check: (*checker).marking, near: true}
}

// Rebuild requires bitwise identical results from n builds of the model, each without caches. If
// the engine reports which kernels it chose, as TensorRT does, the report lists the layers for
// which two builds chose different kernels. n must be 2 or more.
func Rebuild(n int) Relation {
	return Relation{name: "rebuild", text: fmt.Sprintf("%d builds give the same result", n),
		check: func(c *checker) error { return c.rebuild(n) }}
}

func (c *checker) levels() error {
	levels := backends.CapabilitiesOf(c.subject.Engine).Levels
	if levels == nil {
		return fmt.Errorf("%v has no optimisation levels; leave out the relation \"levels\"",
			c.subject.Engine)
	}
	all, err := levels()
	if err != nil {
		return err
	}
	if len(all) < 2 {
		return fmt.Errorf("%v has %d optimisation level, but a comparison needs two; leave out the "+
			"relation \"levels\"", c.subject.Engine, len(all))
	}
	c.note("%d levels, %s", len(all), c.judge.rule.text())
	var list []variant
	for _, level := range all[1:] {
		list = append(list, variant{how: fmt.Sprintf("in %v", level), engine: level})
	}
	return c.variants(all[0], all[0].String(), list, nil)
}

func (c *checker) releases(words []string) error {
	if len(words) == 0 {
		return errors.New("no release to agree with: name at least one, such as \"1.24.4\"")
	}
	releases, err := isolated.Releases(c.subject.Engine, words...)
	if err != nil {
		return err
	}
	c.note("%s, %s", figures.Plural(len(releases), "release"), c.judge.rule.text())
	var list []variant
	for _, r := range releases {
		list = append(list, variant{name: r.Version, how: "in release " + r.Version, engine: r.Engine})
	}
	return c.variants(c.subject.Engine, "", list, func(differ, agree []string) string {
		return fmt.Sprintf("differ: %s; agree: %s", strings.Join(differ, ", "),
			cmp.Or(strings.Join(agree, ", "), "none"))
	})
}

func (c *checker) marking() error {
	m, err := backends.ONNX("marking", c.subject.Model)
	if err != nil {
		return err
	}
	inside, err := m.Select(loaders.Selection{All: true})
	if err != nil {
		return err
	}
	outputs, err := m.Outputs()
	if err != nil {
		return err
	}
	inside = slices.DeleteFunc(inside, func(name string) bool {
		return slices.ContainsFunc(outputs, func(v loaders.Value) bool { return v.Name == name })
	})
	if len(inside) == 0 {
		return errors.New("the model has no inner tensors to mark as outputs; leave out the relation " +
			"\"marking\"")
	}
	c.note("%d tensors marked, %s", len(inside), c.judge.rule.text())
	v := variant{how: fmt.Sprintf("with %d tensors marked", len(inside)), engine: c.subject.Engine}
	if markAll := backends.CapabilitiesOf(c.subject.Engine).MarkAll; markAll != nil {
		v.engine, err = markAll()
	} else {
		v.model, err = m.Mark(inside...)
	}
	if err != nil {
		return err
	}
	return c.variantsOn(c.sets[0], c.subject.Engine, "none", []variant{v}, nil)
}

func (c *checker) rebuild(n int) error {
	if n < 2 {
		return fmt.Errorf("%s: there is nothing to compare; ask for 2 or more",
			figures.Plural(n, "build"))
	}
	c.note("%d builds", n)
	var first reference
	var chosen map[string]string // the kernel that the first build chose for each layer
	for i := range n {
		run, kernels, err := c.build()
		if err != nil {
			return fmt.Errorf("build %d: %w", i+1, err)
		}
		if i == 0 {
			first, chosen = run, kernels
			continue
		}
		breach, err := c.judge.sets(run.outputs, first)
		if err != nil {
			return err
		}
		if breach != nil {
			breach.How = fmt.Sprintf("in build %d, compared with the first", i+1)
			breach.Blame = otherChoices(chosen, kernels)
			return c.breaks(breach)
		}
	}
	return nil
}

// build builds and runs the model. It returns the run, and the kernel that the build chose for each
// layer, if the engine reports that.
func (c *checker) build() (run reference, kernels map[string]string, err error) {
	again := backends.CapabilitiesOf(c.subject.Engine).Rebuild
	if again == nil {
		run, err = c.runIn(c.subject.Engine, c.sets[0])
		return run, nil, err
	}
	rebuilt, choices, forget, err := again()
	if err != nil {
		return run, nil, err
	}
	defer forget()
	if run, err = c.runIn(rebuilt, c.sets[0]); err == nil {
		kernels, err = choices()
	}
	return run, kernels, err
}

// otherChoices lists the layers for which two builds chose different kernels.
func otherChoices(first, later map[string]string) string {
	if len(first) == 0 || len(later) == 0 {
		return "the engine does not report which kernels it chose"
	}
	var lines []string
	for _, layer := range slices.Sorted(maps.Keys(first)) {
		if other, ok := later[layer]; !ok {
			lines = append(lines, fmt.Sprintf("layer %q is only in the first build", layer))
		} else if other != first[layer] {
			lines = append(lines, fmt.Sprintf("layer %q: %s; in the first build %s", layer, other,
				first[layer]))
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("both builds chose the same kernels for all %d layers", len(first))
	}
	return strings.Join(lines, "\n")
}
