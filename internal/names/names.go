// Package names formats lists of names for errors, suggests the closest name, and adds the parts of
// dimensions that are named as a sum.
package names

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Differing returns the sorted keys whose values differ. A key that only one map has differs unless
// its value is "".
func Differing(a, b map[string]string) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return a[key] == b[key] })
}

// shown is the maximum number of names that a list shows. Some models have hundreds: a scikit-learn
// classifier's outputs, or a decoder's inputs, two for every layer.
const shown = 10

// List formats the first ten names, quoted: ["a" "b"]. Without names, it returns "none".
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= shown {
		return Escape(fmt.Sprintf("%q", names))
	}
	return strings.TrimSuffix(Escape(fmt.Sprintf("%q", names[:shown])), "]") +
		fmt.Sprintf(" … and %d more]", len(names)-shown)
}

// Join formats the first ten texts, unquoted: a, b. Without texts, it returns "none".
func Join(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	if len(texts) <= shown {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:shown], ", ") + fmt.Sprintf(" … and %d more", len(texts)-shown)
}

// Each returns a text for each element of a list.
func Each[T any](list []T, text func(T) string) []string {
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = text(element)
	}
	return texts
}

// Words returns the words of a text as a set.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// Sum returns the size of a dimension for each of the given number of iterations (rows), if its
// name is a sum of known dimensions and numbers. Otherwise Sum returns nil. Exporters of decoders
// write such names, as in "past + sequence" or "past + 1". The function sizes returns the sizes of
// a known dimension, and nil for other names.
func Sum(name string, rows int, sizes func(part string) []int) []int {
	sum := make([]int, rows)
	for part := range strings.SplitSeq(name, "+") {
		part = strings.TrimSpace(part)
		known := sizes(part)
		if n, err := strconv.ParseUint(part, 10, 31); err == nil {
			known = slices.Repeat([]int{int(n)}, rows)
		}
		if known == nil || part == "" || part == name {
			return nil
		}
		for k := range sum {
			sum[k] += known[k]
		}
	}
	return sum
}
