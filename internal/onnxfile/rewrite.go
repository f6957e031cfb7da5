package onnxfile

import "github.com/modelparity/modelparity/internal/onnxwire"

// Rewriting is a copy of a model in which some fields are replaced.
type Rewriting struct {
	from   content
	Source onnxwire.Source
	Reader *onnxwire.Reader
	// Change writes the replacement of a field. If it returns false, the field is copied. It is
	// called for the fields of the model and of its graph, in file order.
	Change func(out *Spliced, in onnxwire.Message, f onnxwire.Field) (written bool, err error)
}

// Rewrite returns the model with its bytes rewritten; the result refers to the same external data.
// It calls plan before it copies the model; plan must set Change.
func (m *File) Rewrite(plan func(r *Rewriting) error) (*File, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.Located(err)
	}
	defer done()
	r := &Rewriting{from: m.content, Source: source, Reader: onnxwire.NewReader(source)}
	if err := plan(r); err != nil {
		return nil, m.Located(err)
	}
	rewritten, err := r.Message(onnxwire.Span{End: source.Size()}, onnxwire.ModelMessage)
	if err != nil {
		return nil, m.Located(err)
	}
	return m.derive(rewritten), nil
}

// Message copies a message field by field and calls Change for each field. It enters only the
// model's graph; Change can call Message to enter other messages.
func (r *Rewriting) Message(span onnxwire.Span, kind onnxwire.Message) (*Spliced, error) {
	out := &Spliced{from: r.from}
	err := onnxwire.Walk(r.Source, span, func(f onnxwire.Field) error {
		written, err := r.Change(out, kind, f)
		switch {
		case written || err != nil:
			return err
		case kind == onnxwire.ModelMessage && f.Number == onnxwire.ModelGraph:
			return r.Enter(out, kind, f)
		}
		out.Copy(f.Whole)
		return nil
	})
	return out, err
}

// Enter copies a field that holds a message, and calls Change for the fields inside.
func (r *Rewriting) Enter(out *Spliced, in onnxwire.Message, f onnxwire.Field) error {
	if f.Body.Len() == 0 {
		out.Copy(f.Whole)
		return nil
	}
	inner, err := r.Message(f.Body, in.Member(f.Number))
	if err != nil {
		return err
	}
	if len(inner.pieces) == 1 && inner.pieces[0].span == f.Body {
		out.Copy(f.Whole) // nothing has changed
		return nil
	}
	out.Embed(f.Number, inner)
	return nil
}

// Splice returns an empty model to which parts of the original model can be copied.
func (r *Rewriting) Splice() *Spliced { return &Spliced{from: r.from} }

// WithoutValueInfo returns the model without the declared types and shapes of the tensors inside
// its graph and the bodies of its nodes. Engines infer types and shapes; some reject a declaration
// that has a symbol where they infer a number.
func (m *File) WithoutValueInfo() (*File, error) {
	return m.Rewrite(func(r *Rewriting) error {
		r.Change = func(out *Spliced, in onnxwire.Message, f onnxwire.Field) (bool, error) {
			switch member := in.Member(f.Number); {
			case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphValueInfo:
				return true, nil
			case member == onnxwire.NodeMessage:
				n, err := r.Reader.Node(f.Body)
				if err != nil || len(n.Bodies) == 0 {
					return false, err
				}
			case in != onnxwire.NodeMessage && in != onnxwire.AttributeMessage,
				member == onnxwire.OtherMessage, member == onnxwire.TensorMessage,
				member == onnxwire.SparseTensorMessage:
				return false, nil
			}
			return true, r.Enter(out, in, f)
		}
		return nil
	})
}
