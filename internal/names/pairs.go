package names

import "maps"

// Pairs maps names in actual to names in expected. The result contains the pairs in given. If
// byPosition is true, the result also pairs the names without a counterpart, in order, unless one
// side has more of them. A name that is missing from the result is paired with the same name.
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

// Unpaired returns the names in actual and the names in expected that have no counterpart, each
// list in its given order.
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
