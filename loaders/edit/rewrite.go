package edit

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

type (
	rewriting = onnxfile.Rewriting
	spliced   = onnxfile.Spliced
)

// rewrite returns the model with its bytes rewritten. The result refers to the same external data;
// see [onnxfile.File.Rewrite].
func rewrite(m *loaders.Model, plan func(r *rewriting)) (*loaders.Model, error) {
	file, err := m.File().Rewrite(plan)
	if err != nil {
		return nil, err
	}
	return loaders.FromFile(file), nil
}

// fresh returns the name with the suffix, made unique among names, and adds it to names. To make it
// unique, fresh appends a number. It starts with the number of names, which is rarely taken: if it
// started with 1, a million names for one tensor would take hours.
func fresh(names map[string]bool, name, suffix string) string {
	unique := name + suffix
	for n := len(names); names[unique]; n++ {
		unique = fmt.Sprintf("%s%s_%d", name, suffix, n)
	}
	names[unique] = true
	return unique
}

// isNode reports whether a field contains a node of a graph.
func isNode(in onnxwire.Message, f onnxwire.Field) bool {
	return in == onnxwire.GraphMessage && f.Number == onnxwire.GraphNode
}
