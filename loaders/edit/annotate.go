package edit

import (
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// Annotation is the text that [Annotate] adds to one node.
type Annotation struct {
	// Text is appended to the node's doc_string.
	Text string
	// Entries contains keys and values for the node's metadata_props, in order. They replace existing
	// entries with the same keys.
	Entries [][2]string
}

// Annotate returns the model with text and metadata added to its nodes, for viewers such as Netron.
// Engines ignore both, so results do not change. It calls describe for each node of the graph, in
// order, but not for nodes in bodies and functions. If describe returns false, the node is
// unchanged. External weights stay in their files.
func Annotate(m *loaders.Model, describe func(loaders.Node) (Annotation, bool)) (*loaders.Model,
	error) {
	return rewriteNodes(m, func(r *rewriting, out *spliced, n loaders.Node, f onnxwire.Field) {
		annotation, some := describe(n)
		if !some {
			out.Copy(f.Whole)
			return
		}
		out.WriteMessage(onnxwire.GraphNode,
			onnxwire.Annotate(r.Bytes(f.Body), annotation.Text, annotation.Entries))
	})
}
