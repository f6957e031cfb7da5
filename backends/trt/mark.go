package trt

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wildcard"
)

// marks is which tensors of the network a run gives beside, or instead of, the model's outputs.
type marks struct {
	All     bool     `json:"all,omitempty"`
	Names   []string `json:"names,omitempty"`   // patterns of tensor names
	Types   []string `json:"types,omitempty"`   // layer types
	Exclude []string `json:"exclude,omitempty"` // patterns of tensor names
	Debug   []string `json:"debug,omitempty"`   // patterns of tensor names
	Unfused bool     `json:"unfused,omitempty"`
	Inside  []string `json:"inside,omitempty"` // names; of those the network lacks none is given
}

// MarkAll makes every tensor of the network that the GPU computes an output. It keeps layers from
// being fused, so the engine's numbers can differ from the unmarked one's; [Debug] does not.
func MarkAll() Option { return func(s *settings) { s.build.Marks.All = true } }

// Mark makes tensors outputs, by name or by a pattern of Python's fnmatch as in Polygraphy, beside
// the model's own. A pattern that fits no tensor is an error.
func Mark(names ...string) Option {
	return func(s *settings) {
		s.build.Marks.Names = append(s.build.Marks.Names, names...)
	}
}

// MarkTypes makes the outputs of every layer of these types outputs: "CONVOLUTION", "SOFTMAX", ….
func MarkTypes(types ...string) Option {
	return func(s *settings) {
		for _, name := range types {
			s.build.Marks.Types = append(s.build.Marks.Types,
				s.enumerator("layer type", name, trtabi.LayerTypes))
		}
	}
}

// Unmark takes outputs away, by name or by a pattern; at least one must remain.
func Unmark(names ...string) Option {
	return func(s *settings) {
		s.build.Marks.Exclude = append(s.build.Marks.Exclude, names...)
	}
}

// Debug reads tensors, by name or by a pattern, while the engine runs, and gives them after the
// outputs. Layers are fused as far as that leaves the tensor visible. Each is read from an engine
// of its own, so that reading one does not move another; the engines come from the engine cache.
//
// TensorRT from 10.12 on reports them as debug tensors. Before, its builder can end the process
// over a debug tensor (docs/tensorrt.md shows which in 10.6), so that each is made an output of its
// engine instead, as is one that a later TensorRT refuses. The run's provenance says so.
func Debug(names ...string) Option {
	return func(s *settings) {
		s.build.Marks.Debug = append(s.build.Marks.Debug, names...)
	}
}

// DebugUnfused reads every tensor that is left after fusion, without changing the fusion (TensorRT
// 10.12 and later).
func DebugUnfused() Option { return func(s *settings) { s.build.Marks.Unfused = true } }

// fits reports whether a name is one of the patterns, or fits one.
func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return wildcard.Compile(pattern).Match(name)
	})
}

// unfit finds a pattern that fits none of the names.
func unfit(patterns, names []string, what string) error {
	for _, pattern := range patterns {
		if !slices.ContainsFunc(names, func(name string) bool {
			return fits([]string{pattern}, name)
		}) {
			return fmt.Errorf("no %s of the network fits %q; there are %s",
				what, pattern, abridged(names))
		}
	}
	return nil
}
