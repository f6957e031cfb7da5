package relations

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Profiles requires that engines built for different ranges of shapes give the same results for the
// same inputs (TensorRT#4813, #3932). It builds the model with different smallest, optimal and
// largest shapes, with several ranges in one engine, and with fixed shapes. The ranges stay within
// the shapes that the engine's profile allows. If no profile was set, each dynamic dimension ranges
// from 1 to twice its size in the inputs. By default, differences within rounding noise are
// allowed, because an engine chooses its kernels for the optimal shape. The relation cannot be
// judged if the model has no dynamic dimensions, or if the engine does not support profiles.
func Profiles() Relation {
	return Relation{name: "profiles", near: true, check: (*checker).profiles,
		text: "building the engine for a different range of shapes changes nothing"}
}

func (c *checker) profiles() error {
	for i, set := range c.sets {
		builds, err := c.otherBuilds(set)
		if err != nil {
			return err
		}
		if i == 0 {
			texts := names.Each(builds, func(b variant) string { return b.name })
			c.note("%d other builds: %s", len(builds), strings.Join(texts, "; "))
		}
		err = c.variantsOn(set, c.subject.Engine, "the engine's own profile", builds,
			func(differ, _ []string) string {
				return fmt.Sprintf("%d of %d other builds differ: %s", len(differ), len(builds),
					strings.Join(differ, "; "))
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// otherBuilds returns builds of the model for other ranges of shapes. Each range includes the
// shapes of the given inputs.
func (c *checker) otherBuilds(set *tensor.Set) (builds []variant, err error) {
	can := backends.CapabilitiesOf(c.subject.Engine)
	if can.Profiles == nil {
		return nil, fmt.Errorf("%v is not built for a range of shapes; leave out the relation "+
			"\"profiles\"", c.subject.Engine)
	}
	given, err := c.profile()
	if err != nil {
		return nil, err
	}
	low, own, high, err := shapesAround(c.subject.Model, set, given)
	switch {
	case err != nil:
		return nil, err
	case len(own) == 0:
		return nil, errors.New("the model has no dynamic dimension; export it with symbolic " +
			"dimensions, or leave out the relation \"profiles\"")
	case maps.EqualFunc(low, high, tensor.Shape.Equal) && len(given.Min) == 0:
		return nil, errors.New("the inputs have size 0 in every dynamic dimension, so there is no " +
			"range of shapes to build for; pass larger inputs")
	case maps.EqualFunc(low, high, tensor.Shape.Equal):
		return nil, errors.New("the engine's profile allows only the exact shapes of the given " +
			"inputs; build the engine for a range of shapes")
	}
	ranges := []backends.Profile{{Min: own, Opt: own, Max: own}, {Min: low, Opt: own, Max: high},
		{Min: low, Opt: low, Max: own}, {Min: own, Opt: high, Max: high}}
	several := ranges[2:]
	add := func(text string, engine backends.Engine, model fixtures.Declaration) {
		builds = append(builds, variant{name: text, how: "with " + text, engine: engine, model: model,
			remedy: "; if the model does not allow these shapes, set a profile of shapes that it allows"})
	}
	seen := map[string]bool{profileText(given): true}
	for _, p := range ranges {
		if text := profileText(p); !seen[text] {
			seen[text] = true
			add("the profile "+text, can.Profiles([]backends.Profile{p}, 0), nil)
		}
	}
	for i, p := range several {
		add(fmt.Sprintf("profile %d of 2, %s", i, profileText(p)), can.Profiles(several, i), nil)
	}
	m, ok := c.subject.Model.(*loaders.Model)
	if !ok {
		return builds, nil
	}
	fixed := map[string][]loaders.Dim{}
	for name, shape := range own {
		for _, n := range shape {
			fixed[name] = append(fixed[name], loaders.Dim{Size: n})
		}
	}
	static, err := edit.WithInputShapes(m, fixed)
	add("fixed shapes", can.Profiles(nil, 0), static)
	return builds, err
}

// profile returns the range of shapes that the engine is built for, or the zero Profile.
func (c *checker) profile() (p backends.Profile, err error) {
	if profile := backends.CapabilitiesOf(c.subject.Engine).Profile; profile != nil {
		p, _, err = profile()
	}
	return p, err
}

// shapesAround returns the shapes of the inputs that have dynamic dimensions, and the smallest and
// largest shapes to build for.
func shapesAround(m fixtures.Declaration, set *tensor.Set, given backends.Profile) (low, own,
	high map[string]tensor.Shape, err error) {
	declared, err := m.Inputs()
	low, own, high = map[string]tensor.Shape{}, map[string]tensor.Shape{}, map[string]tensor.Shape{}
	for _, v := range declared {
		t, ok := set.Get(v.Name)
		if !ok || !slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic) {
			continue
		}
		shape := t.Shape()
		own[v.Name], low[v.Name], high[v.Name] = shape, slices.Clone(shape), slices.Clone(shape)
		if g := given.Min[v.Name]; len(g) == len(shape) {
			low[v.Name], high[v.Name] = g, given.Max[v.Name]
			continue
		}
		for i, n := range shape {
			if v.Dims[i].Dynamic() {
				low[v.Name][i], high[v.Name][i] = min(n, 1), 2*n
			}
		}
	}
	return low, own, high, err
}

// profileText formats a profile as Polygraphy's flags do: x:[1,8]:[2,8]:[16,8].
func profileText(p backends.Profile) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.Min)) {
		list = append(list, fmt.Sprintf("%s:%v:%v:%v", name, p.Min[name], p.Opt[name], p.Max[name]))
	}
	return strings.Join(list, " ")
}
