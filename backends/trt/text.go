package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
)

// abridged joins names for an error. It shows at most ten of them.
func abridged(list []string) string { return names.Join(list) }

// index returns the position of e in names, or 0 if e is empty. Options have already rejected
// unknown values of e.
func index[E ~string](names []string, e E) int { return max(0, slices.Index(names, string(e))) }

// located adds the package's name to an error that occurred before TensorRT was opened.
func located(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("trt: %w", err)
}
