package edit

import (
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// Annotation is what [Annotate] writes about one node.
type Annotation struct {
	// Text goes behind the node's own doc_string.
	Text string
	// Entries are keys and values for the node's metadata_props, in order. Entries of the same keys
	// are replaced.
	Entries [][2]string
}

// Annotate returns the model with annotations at its nodes, for viewers such as Netron: engines
// pass over both fields, so it computes what it computed. about sees each node of the graph, in its
// order, without those in bodies and functions; its second result is whether there is anything to
// write. Weights stay where they are, external ones too.
func Annotate(m *loaders.Model, about func(loaders.Node) (Annotation, bool)) (*loaders.Model,
	error) {
	return rewriteNodes(m, func(r *rewriting, out *spliced, n loaders.Node, f onnxwire.Field) error {
		annotation, some := about(n)
		if !some {
			out.Copy(f.Whole)
			return nil
		}
		message, err := onnxfile.ReadSpan(r.Source, f.Body)
		if err != nil {
			return err
		}
		annotated := onnxwire.Annotate(message, annotation.Text, annotation.Entries)
		out.Write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, annotated))
		return nil
	})
}
