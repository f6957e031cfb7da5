package onnxwire

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Value is a ValueInfoProto: a name with a type.
type Value struct {
	Name string
	Type Type
	Span Span
}

// Type is a TypeProto. A value may have no type, for example an output that was added to a model;
// engines then infer the type.
type Type struct {
	Kind     Kind
	Elem     int32 // TensorProto.DataType of a (sparse) tensor
	Key      int32 // type of a map's keys
	HasShape bool
	Dims     []Dim
	Of       *Type // type of a sequence's or optional's element, or of a map's values
}

// Dim is one dimension of a declared shape. Size is -1 if the dimension has no fixed size.
type Dim struct {
	Size  int64
	Param string
}

// Kind says which member of TypeProto is set.
type Kind uint8

// The kinds of type.
const (
	Untyped Kind = iota
	TensorKind
	SequenceKind
	MapKind
	OptionalKind
	SparseTensorKind
	OpaqueKind
)

// Field numbers of TypeProto.
const (
	typeTensor       protowire.Number = 1
	typeSequence     protowire.Number = 4
	typeMap          protowire.Number = 5
	typeOpaque       protowire.Number = 7
	typeSparseTensor protowire.Number = 8
	typeOptional     protowire.Number = 9
)

// value reads the ValueInfoProto in f.
func (r *Reader) value(f Field, what string) Value {
	r.wants(f, protowire.BytesType, what)
	r.charge(f.Whole.Start, size[Value]())
	return r.valueAt(f.Body, what)
}

// Value reads the ValueInfoProto at span.
func (r *Reader) Value(span Span) Value { return r.valueAt(span, "a value_info") }

// Values reads the value_infos of a list, one at a time.
func (r *Reader) Values(list []Span) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, span := range list {
			v := r.Value(span)
			if r.err != nil || !yield(v) {
				return
			}
		}
	}
}

func (r *Reader) valueAt(span Span, what string) Value {
	v := Value{Span: span}
	for f := range r.Fields(span) {
		switch f.Number {
		case 1:
			v.Name = r.text(f, "the name of "+what)
		case 2:
			r.typeOf(&v.Type, f, 0)
		}
	}
	return v
}

// typeOf reads the TypeProto in f into t.
func (r *Reader) typeOf(t *Type, f Field, depth int) {
	if depth > maxDepth {
		r.wrong(f.Whole.Start, "types are nested more than %d deep", maxDepth)
	}
	for f := range r.inside(f, "a type") {
		if kind := slices.Index(typeFields[:], f.Number); kind > int(Untyped) {
			if t.Kind = Kind(kind); t.Kind != OpaqueKind {
				r.typeMember(t, f, depth)
			}
		}
	}
}

// typeMember reads one of TypeProto's nested messages. In tensors, fields 1 and 2 are an element
// type and a shape; in sequences and optionals, field 1 is a type; in maps, fields 1 and 2 are a
// key type and a value type.
func (r *Reader) typeMember(t *Type, f Field, depth int) {
	isTensor := t.Kind == TensorKind || t.Kind == SparseTensorKind
	for f := range r.inside(f, "a type") {
		switch {
		case f.Number == 1 && isTensor:
			t.Elem = int32(r.integer(f, "an element type"))
		case f.Number == 1 && t.Kind == MapKind:
			t.Key = int32(r.integer(f, "an element type"))
		case f.Number == 2 && isTensor:
			t.HasShape = true
			r.shape(t, f)
		case f.Number == 1 || f.Number == 2 && t.Kind == MapKind:
			t.Of = &Type{}
			r.charge(f.Whole.Start, size[Type]())
			r.typeOf(t.Of, f, depth+1)
		}
	}
}

// shape reads a TensorShapeProto into t.
func (r *Reader) shape(t *Type, f Field) {
	for f := range r.inside(f, "a shape") {
		if f.Number != 1 {
			continue
		}
		r.charge(f.Whole.Start, size[Dim]())
		dim := Dim{Size: -1}
		for f := range r.inside(f, "a dimension") {
			switch f.Number {
			case 1: // exporters write various negative numbers for "dynamic"
				dim.Size = max(r.integer(f, "a dimension's size"), -1)
			case 2:
				dim.Param = r.text(f, "a dimension's symbol")
			}
		}
		t.Dims = grow(t.Dims, dim)
	}
}

// Names returns the names of the values.
func Names(values []Value) []string {
	names := make([]string, len(values))
	for i := range values {
		names[i] = values[i].Name
	}
	return names
}
