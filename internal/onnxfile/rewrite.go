package onnxfile

import "github.com/modelparity/modelparity/internal/onnxwire"

// Rewriting is a copy of a model in which some fields are replaced. If its Reader stops with an
// error, the copy fails.
type Rewriting struct {
	*onnxwire.Reader
	from content
	// Change writes the replacement of a field. If it returns false, the field is copied. It is
	// called for the fields of the model and of its graph, in file order.
	Change func(out *Spliced, in onnxwire.Message, f onnxwire.Field) (written bool)
	// AtEnd, if not nil, is called after the last field of the graph, to add more. A graph may be
	// written in several pieces; AtEnd is then called after each.
	AtEnd func(graph *Spliced)
}

// Rewrite returns a copy of the model with changed bytes and the same external data. First it calls
// plan, which must set the field Change of its argument.
func (m *File) Rewrite(plan func(r *Rewriting)) (*File, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	file, err := m.rewrite(plan)
	return file, m.Located(err)
}

func (m *File) rewrite(plan func(r *Rewriting)) (*File, error) {
	rewritten, err := m.Rewritten(plan)
	if err != nil {
		return nil, err
	}
	return m.Derive(rewritten), nil
}

// Rewritten is like [File.Rewrite], but returns only the bytes.
func (m *File) Rewritten(plan func(r *Rewriting)) (*Spliced, error) {
	source, done, err := m.content.open()
	if err != nil {
		return nil, err
	}
	defer done()
	r := &Rewriting{from: m.content, Reader: onnxwire.NewReader(source)}
	if plan(r); r.Err() != nil {
		return nil, r.Err()
	}
	rewritten := r.Message(r.Whole(), onnxwire.ModelMessage)
	return rewritten, r.Err()
}

// Message copies a message field by field and calls Change for each field. The only nested message
// whose fields it also visits is the model's graph. To visit the fields of any other, Change must
// call Enter.
func (r *Rewriting) Message(span onnxwire.Span, kind onnxwire.Message) *Spliced {
	out := r.Splice()
	for f := range r.Fields(span) {
		switch {
		case r.Change(out, kind, f):
		case kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph:
			if r.AtEnd == nil {
				r.Enter(out, kind, f)
				continue
			}
			graph := r.Message(f.Body, onnxwire.GraphMessage)
			r.AtEnd(graph)
			out.Embed(f.Number, graph)
		default:
			out.Copy(f.Whole)
		}
	}
	return out
}

// Enter copies a field that contains a message, and calls Change for the fields inside.
func (r *Rewriting) Enter(out *Spliced, in onnxwire.Message, f onnxwire.Field) {
	if f.Body.Len() == 0 {
		out.Copy(f.Whole)
		return
	}
	inner := r.Message(f.Body, in.Member(f.Number))
	if len(inner.pieces) == 1 && inner.pieces[0].span == f.Body {
		out.Copy(f.Whole) // nothing has changed
		return
	}
	out.Embed(f.Number, inner)
}

// Splice returns an empty model to which parts of the original model can be copied.
func (r *Rewriting) Splice() *Spliced { return &Spliced{from: r.from} }

// TensorWithout copies the TensorProto at span without the fields that contain or locate its data.
func (r *Rewriting) TensorWithout(span onnxwire.Span) *Spliced {
	out := r.Splice()
	for f := range r.Fields(span) {
		if !isTensorData(f.Number) {
			out.Copy(f.Whole)
		}
	}
	return out
}

// WithoutValueInfo returns the model without the declared types and shapes of the tensors inside
// its graph and the bodies of its nodes. Engines infer types and shapes; some reject a declaration
// that has a symbol where they infer a number.
func (m *File) WithoutValueInfo() (*File, error) {
	return m.Rewrite(func(r *Rewriting) {
		r.Change = func(out *Spliced, in onnxwire.Message, f onnxwire.Field) bool {
			switch member := in.Member(f.Number); {
			case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphValueInfo:
				return true
			case member == onnxwire.NodeMessage && len(r.Node(f.Body).Bodies) == 0:
				return false
			case in != onnxwire.NodeMessage && in != onnxwire.AttributeMessage &&
				member != onnxwire.NodeMessage, member == onnxwire.OtherMessage,
				member == onnxwire.TensorMessage, member == onnxwire.SparseTensorMessage:
				return false
			}
			r.Enter(out, in, f)
			return true
		}
	})
}
