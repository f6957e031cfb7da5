package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
)

// abridged puts names into an error, the first ten of them.
func abridged(list []string) string { return names.Join(list) }

// index is the number of an enumerator whose name was checked when its option was made.
func index[E ~string](names []string, e E) int { return max(0, slices.Index(names, string(e))) }

// located prefixes the package to an error from before TensorRT is opened.
func located(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("trt: %w", err)
}
