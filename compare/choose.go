package compare

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/tensor"
)

// chosen contains the patterns that select the outputs to compare.
type chosen struct{ only, except []wildcard.Pattern }

func chosenBy(o *Options) chosen {
	var c chosen
	for _, text := range o.Only {
		c.only = append(c.only, wildcard.Compile(text))
	}
	for _, text := range o.Except {
		c.except = append(c.except, wildcard.Compile(text))
	}
	return c
}

// takes reports whether the named output is compared.
func (c *chosen) takes(name string) bool {
	matches := func(p wildcard.Pattern) bool { return p.Match(name) }
	return (len(c.only) == 0 || slices.ContainsFunc(c.only, matches)) &&
		!slices.ContainsFunc(c.except, matches)
}

// choose removes from s the outputs that Only and Except leave out, and returns their names.
func (c *Comparer) choose(s *sides) (leftOut []string, err error) {
	if len(c.options.Only)+len(c.options.Except) == 0 {
		return nil, nil
	}
	actualName := map[string]string{}
	for actual, expected := range c.options.Names {
		actualName[expected] = actual
	}
	met := map[string]bool{}
	var all []string
	for which, side := range [][][]tensor.Value{s.actual, s.expected} {
		for i := range side {
			side[i] = slices.DeleteFunc(slices.Clone(side[i]), func(v tensor.Value) bool {
				name := v.Name
				if renamed, ok := actualName[name]; ok && which == 1 {
					name = renamed
				}
				taken := c.chosen.takes(name)
				if !met[name] {
					met[name], all = true, append(all, name)
					if !taken {
						leftOut = append(leftOut, name)
					}
				}
				return !taken
			})
		}
	}
	return leftOut, c.sensible(s, all, leftOut)
}

// sensible returns an error if Only or Except cannot be what the caller meant: a pattern matches no
// output, no output is left, or a check is set for an output that is left out.
func (c *Comparer) sensible(s *sides, all, leftOut []string) error {
	for _, list := range []struct {
		option   string
		patterns []wildcard.Pattern
	}{{"Options.Only", c.chosen.only}, {"Options.Except", c.chosen.except}} {
		for _, p := range list.patterns {
			if err := present(list.option, p.String(), all, all); err != nil {
				return err
			}
		}
	}
	for i := range s.iterations() {
		if len(s.actual[i])+len(s.expected[i]) == 0 {
			return fmt.Errorf("compare: Options.Only and Options.Except leave no output to compare; the "+
				"outputs are %s", names.List(all))
		}
	}
	for _, name := range sortedKeys(c.options.PerOutput) {
		p := wildcard.Compile(name)
		if !slices.ContainsFunc(all, func(n string) bool { return p.Match(n) && c.chosen.takes(n) }) {
			return fmt.Errorf("compare: there is a check for %q, but Options.Only or Options.Except "+
				"leaves that output out; left out: %s", name, names.List(leftOut))
		}
	}
	return nil
}
