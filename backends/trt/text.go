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
func index[E ~string](names []string, e E) int { return max(0, slices.Index(names, string(e))) }

// located prefixes the package to an error from before TensorRT is opened.
func located(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("trt: %w", err)
}
