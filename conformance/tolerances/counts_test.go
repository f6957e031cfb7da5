package tolerances_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// counts are how many engines or faults there are, and how many of them get the wrong verdict.
type counts struct{ Engines, Wrong int }

func (c counts) plus(d counts) counts { return counts{c.Engines + d.Engines, c.Wrong + d.Wrong} }

func total(kinds map[string]counts) counts {
	sum := counts{}
	for _, c := range kinds {
		sum = sum.plus(c)
	}
	return sum
}

// add adds the counts of each kind.
func add(to, more map[string]counts) {
	for kind, c := range more {
		to[kind] = to[kind].plus(c)
	}
}

// writeKinds writes a table of faults by kind.
func writeKinds(b *strings.Builder, kinds map[string]counts) {
	b.WriteString("| fault | tried | accepted |\n| --- | --- | --- |\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(b, "| %s | %d | %d |\n", strings.ReplaceAll(kind, "-", " "), kinds[kind].Engines,
			kinds[kind].Wrong)
	}
}
