package compareflags

import (
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/wildcard"
)

// perOutput holds the values of several flags. The first key is the flag and the second is the
// output; values are in the order given. The output "" stands for all outputs without values of
// their own.
type perOutput[V any] map[string]map[string][]V

func (p *perOutput[V]) add(flag, output string, value V) {
	if *p == nil {
		*p = perOutput[V]{}
	}
	if (*p)[flag] == nil {
		(*p)[flag] = map[string][]V{}
	}
	(*p)[flag][output] = append((*p)[flag][output], value)
}

// of returns the values that apply to name, which is an output or a pattern: the values for exactly
// this name; otherwise the values for patterns that match the name; otherwise the values for all
// outputs.
func (p perOutput[V]) of(flag, name string) []V {
	if own := p[flag][name]; len(own) > 0 {
		return own
	}
	var matching []V
	for _, pattern := range slices.Sorted(maps.Keys(p[flag])) {
		if pattern != "" && wildcard.Compile(pattern).Match(name) {
			matching = append(matching, p[flag][pattern]...)
		}
	}
	if len(matching) > 0 {
		return matching
	}
	return p[flag][""]
}
