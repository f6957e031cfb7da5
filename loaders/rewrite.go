package loaders

import "github.com/modelparity/modelparity/internal/onnxwire"

// rewriting copies a model but for the fields that it is told to write.
type rewriting struct {
	from   content
	source onnxwire.Source
	reader *onnxwire.Reader
	// change writes what stands in place of a field of a message, or reports false: then the field
	// is copied. It is shown the fields of the model and of its graph, in the order of the file.
	change func(out *spliced, in onnxwire.Message, f onnxwire.Field) (written bool, err error)
}

// rewrite is the model with other bytes, and with its external data where it was. plan is given the
// copy that is about to be made, and sets its change.
func (m *Model) rewrite(plan func(r *rewriting) error) (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(err)
	}
	defer done()
	r := &rewriting{from: m.content, source: source, reader: onnxwire.NewReader(source)}
	if err := plan(r); err != nil {
		return nil, m.located(err)
	}
	rewritten, err := r.message(onnxwire.Span{End: source.Size()}, onnxwire.ModelMessage)
	if err != nil {
		return nil, m.located(err)
	}
	return m.derive(rewritten), nil
}

// message copies a message field by field, and what is changed of it. Of the messages in it only
// the model's graph is entered; a change enters others by calling message.
func (r *rewriting) message(span onnxwire.Span, kind onnxwire.Message) (*spliced, error) {
	out := &spliced{from: r.from}
	err := onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		written, err := r.change(out, kind, f)
		switch {
		case written || err != nil:
			return err
		case kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph:
			return r.enter(out, kind, f)
		}
		out.copy(f.Whole)
		return nil
	})
	return out, err
}

// enter copies a field that holds a message, with what is changed inside.
func (r *rewriting) enter(out *spliced, in onnxwire.Message, f onnxwire.Field) error {
	inner, err := r.message(f.Body, in.Member(f.Number))
	if err != nil {
		return err
	}
	out.embed(f.Number, inner)
	return nil
}

// rewriteNodes is rewrite for the nodes of the graph, in its order: visit writes what stands in
// place of each. Those in bodies and functions are part of the node that holds them.
func (m *Model) rewriteNodes(visit func(r *rewriting, out *spliced, n Node,
	f onnxwire.Field) error) (*Model, error) {
	return m.rewrite(func(r *rewriting) error {
		count := 0
		r.change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphNode {
				return false, nil
			}
			wire, err := r.reader.Node(f.Body)
			if err != nil {
				return false, err
			}
			n, err := nodeOf(count, &wire, r.reader)
			if err != nil {
				return false, err
			}
			count++
			return true, visit(r, out, n, f)
		}
		return nil
	})
}
