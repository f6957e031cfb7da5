package onnxfile

import (
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// relocated returns the model's bytes with its external data moved. fields(i) returns the fields of
// a tensor whose data is range i of the plan, after the move.
func (m *File) relocated(plan *dataPlan, fields func(i int) ([]byte, error)) (content, error) {
	source, done, err := m.content.open()
	if err != nil {
		return nil, err
	}
	defer done()
	r := relocation{source: source, from: m.content, plan: plan, fields: fields,
		order: slices.Sorted(maps.Keys(plan.of))}
	return r.message(onnxwire.Span{End: source.Size()}, onnxwire.ModelMessage)
}

// relocation copies a model and changes the locations of external data.
type relocation struct {
	source onnxwire.Source
	from   content
	plan   *dataPlan
	fields func(i int) ([]byte, error)
	order  []int64 // offsets of all tensors whose data moves, in ascending order
}

// message copies a message. If it contains tensors whose data moves, its length changes.
func (r *relocation) message(span onnxwire.Span, kind onnxwire.Message) (*Spliced, error) {
	out := &Spliced{from: r.from}
	err := onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		member := kind.Member(f.Number)
		i, moves := r.plan.of[f.Whole.Start]
		var inner *Spliced
		var err error
		switch {
		case member == onnxwire.TensorMessage && moves:
			inner, err = r.tensor(f.Body, i)
		case member != onnxwire.OtherMessage && r.within(f.Body):
			inner, err = r.message(f.Body, member)
		default:
			out.Copy(f.Whole)
			return nil
		}
		if err != nil {
			return err
		}
		out.Embed(f.Number, inner)
		return nil
	})
	return out, err
}

// within reports whether a tensor whose data moves is inside span.
func (r *relocation) within(span onnxwire.Span) bool {
	i, _ := slices.BinarySearch(r.order, span.Start)
	return i < len(r.order) && r.order[i] < span.End
}

// tensor copies a tensor whose data moves.
func (r *relocation) tensor(span onnxwire.Span, i int) (*Spliced, error) {
	out := &Spliced{from: r.from}
	err := onnxwire.Walk(r.source, span, func(f onnxwire.Field) error {
		switch f.Number {
		case onnxwire.TensorExternalData, onnxwire.TensorDataLocation, onnxwire.TensorRawData:
		default:
			out.Copy(f.Whole)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	fields, err := r.fields(i)
	out.Write(fields)
	return out, err
}
