package names

import "maps"

// Pairs returns the pairs in given, which map names in actual to names in expected. A name that is
// not in the result pairs with itself. If byPosition is true, and both sides have the same number
// of names without a counterpart, Pairs also pairs these names with each other, in order.
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
