package names

import "maps"

// Pairs maps names of one side to names of the other. given holds the pairs that are known; all
// other names pair with themselves. byPosition also pairs the names without a counterpart, in their
// order, if both sides have the same number of them.
func Pairs(given map[string]string, byPosition bool, actual, expected []string) map[string]string {
	extra, lost := Unpaired(given, actual, expected)
	if !byPosition || len(extra) != len(lost) {
		return given
	}
	all := map[string]string{}
	maps.Copy(all, given)
	for i, name := range extra {
		all[name] = lost[i]
	}
	return all
}

// Unpaired returns the names of each side that have no counterpart, in order.
func Unpaired(pairs map[string]string, actual, expected []string) (extra, lost []string) {
	given, wanted := map[string]bool{}, map[string]bool{}
	for _, name := range expected {
		given[name] = true
	}
	for _, name := range actual {
		to, ok := pairs[name]
		if !ok {
			to = name
		}
		if wanted[to] = true; !given[to] {
			extra = append(extra, name)
		}
	}
	for _, name := range expected {
		if !wanted[name] {
			lost = append(lost, name)
		}
	}
	return extra, lost
}
