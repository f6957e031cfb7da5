package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/wildcard"
)

// marks selects the tensors of the network that a run returns in addition to, or instead of, the
// model's outputs.
type marks struct {
	All     bool        `json:"all,omitempty"`
	Only    []string    `json:"only,omitempty"`    // patterns of tensor names
	Types   []LayerType `json:"types,omitempty"`   // types of layers
	Exclude []string    `json:"exclude,omitempty"` // patterns of tensor names
	Debug   []string    `json:"debug,omitempty"`   // patterns of tensor names
	Unfused bool        `json:"unfused,omitempty"`
	// Inside lists names of tensors that the engine returns as well, as debug tensors if TensorRT
	// allows it. Names that are not in the network are ignored.
	Inside []string `json:"inside,omitempty"`
}

// fits reports whether a name equals or matches at least one of the patterns.
func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return wildcard.Compile(pattern).Match(name)
	})
}

// unfit returns an error for the first pattern that matches none of the names.
func unfit(patterns, names []string, what string) error {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(names, wildcard.Compile(pattern).Match) {
			return fmt.Errorf("no %s in the network matches %q; the names are %s",
				what, pattern, abridged(names))
		}
	}
	return nil
}
