package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/tensor"
)

// byNames contains options for single outputs, indexed by name and by pattern.
type byNames[V any] struct {
	exact    map[string]V
	patterns []pattern[V]
}

type pattern[V any] struct {
	wildcard.Pattern
	value V
}

func indexed[V any](of map[string]V) byNames[V] {
	n := byNames[V]{exact: of}
	for _, name := range sortedKeys(of) {
		if strings.ContainsAny(name, "*?[") {
			n.patterns = append(n.patterns, pattern[V]{wildcard.Compile(name), of[name]})
		}
	}
	return n
}

// of returns the option for an output: the entry under its name, or else under a pattern that
// matches the name.
func (n *byNames[V]) of(name string) (V, bool) {
	v, ok := n.exact[name]
	for i := 0; !ok && i < len(n.patterns); i++ {
		if n.patterns[i].Match(name) {
			v, ok = n.patterns[i].value, true
		}
	}
	return v, ok
}

// validate returns an error if an entry matches no output of either side, or if two patterns match
// an actual output and no entry has the output's exact name. The parameter what is the word for an
// entry in the error.
func (n *byNames[V]) validate(what string, all, actual []string) error {
	for _, name := range sortedKeys(n.exact) {
		if err := present(what, name, all, actual); err != nil {
			return err
		}
	}
	for _, name := range actual {
		_, exact := n.exact[name]
		first := ""
		for _, p := range n.patterns {
			switch {
			case exact || !p.Match(name):
			case first != "":
				return fmt.Errorf("compare: output %q matches two patterns, %q and %q: use its exact name",
					name, first, p.String())
			default:
				first = p.String()
			}
		}
	}
	return nil
}

// validateNames returns an error if an option names an output that neither side has. It returns a
// note for a name that only the actual side lacks.
func (c *Comparer) validateNames(s *sides) (notes []string, err error) {
	o := &c.options
	actual, expected := outputNames(s.actual), outputNames(s.expected)
	all := append(slices.Clone(actual), expected...)
	if err := cmp.Or(c.perOutput.validate("a check", all, actual),
		c.topKs.validate("Options.TopK", append(all, ""), actual)); err != nil { // "" is the default
		return nil, err
	}
	taken := map[string]string{}
	for _, name := range sortedKeys(o.Names) {
		to := o.Names[name]
		if len(all) > 0 && !slices.Contains(actual, name) && !slices.Contains(expected, to) {
			return nil, fmt.Errorf("compare: Options.Names maps %q to %q, which neither side has; "+
				"the outputs are %s", name, to, names.List(actual))
		}
		if other, twice := taken[to]; twice {
			return nil, fmt.Errorf("compare: Options.Names maps both %q and %q to %q", other, name, to)
		}
		if taken[to] = name; !slices.Contains(actual, name) {
			notes = append(notes, fmt.Sprintf("Options.Names maps %q to %q, but the actual side has only "+
				"%s", name, to, names.List(actual)))
		}
	}
	return notes, nil
}

// expectedName returns the expected output's name for the given name of an actual output.
func (o *Options) expectedName(actual string) string {
	if mapped, ok := o.Names[actual]; ok {
		return mapped
	}
	return actual
}

// paired returns the options with the pairs of ByPosition added to Names.
func (o Options) paired(actual, expected []*tensor.Set) Options {
	s := sidesOf(actual, expected)
	o.Names = names.Pairs(o.Names, o.ByPosition, outputNames(s.actual), outputNames(s.expected))
	return o
}

// present returns an error if no output matches the given name or pattern.
func present(what, name string, all, shown []string) error {
	if slices.ContainsFunc(all, wildcard.Compile(name).Match) {
		return nil
	}
	if len(shown) == 0 {
		shown = all
	}
	return fmt.Errorf("compare: %s names %q, which matches no output; the outputs are %s", what, name,
		names.List(shown))
}
