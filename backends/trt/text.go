package trt

import (
	"fmt"
	"slices"
	"strings"
)

// maxNames is how many names a message lists.
const maxNames = 12

// abridged lists names, with a count where there are many.
func abridged(names []string) string {
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
		names = names[:maxNames]
	}
	return strings.Join(names, ", ") + more
}

// index is the number of an enumerator whose name was checked when its option was made.
func index(names []string, name string) int { return max(0, slices.Index(names, name)) }
