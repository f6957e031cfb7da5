package loaders

import "github.com/modelparity/modelparity/internal/onnxwire"

// Annotation is what [Model.Annotate] writes about one node.
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
func (m *Model) Annotate(about func(Node) (Annotation, bool)) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(err)
	}
	defer done()
	a := annotating{model: m, source: source, about: about}
	annotated, err := a.message(onnxwire.Span{End: source.Size()}, onnxwire.ModelMessage)
	if err != nil {
		return nil, m.located(err)
	}
	return m.derive(annotated), nil
}

// annotating copies a model but for what its nodes say of themselves.
type annotating struct {
	model  *Model
	source onnxwire.Source
	about  func(Node) (Annotation, bool)
	count  int // of nodes so far
}

// message copies the model, or its graph.
func (a *annotating) message(span onnxwire.Span, kind onnxwire.Message) (*spliced, error) {
	out := &spliced{from: a.model.content}
	err := onnxwire.Walk(a.source, span, func(f onnxwire.Field) error {
		switch {
		case kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph:
			inner, err := a.message(f.Body, onnxwire.GraphMessage)
			if err != nil {
				return err
			}
			out.embed(f.Number, inner)
		case kind == onnxwire.GraphMessage && f.Number == onnxwire.GraphNode:
			return a.node(out, f)
		default:
			out.copy(f.Whole)
		}
		return nil
	})
	return out, err
}

// node copies a node, with what is written about it.
func (a *annotating) node(out *spliced, f onnxwire.Field) error {
	reader := onnxwire.NewReader(a.source)
	wire, err := reader.Node(f.Body)
	if err != nil {
		return err
	}
	n, err := nodeOf(a.count, &wire, reader)
	if err != nil {
		return err
	}
	a.count++
	annotation, some := a.about(n)
	if !some {
		out.copy(f.Whole)
		return nil
	}
	message, err := readSpan(a.source, f.Body)
	if err != nil {
		return err
	}
	annotated := onnxwire.Annotate(message, annotation.Text, annotation.Entries)
	out.write(onnxwire.AppendMessage(nil, onnxwire.GraphNode, annotated))
	return nil
}
