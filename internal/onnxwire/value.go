package onnxwire

import (
	"fmt"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// Value is a ValueInfoProto: a name with a type.
type Value struct {
	Name string
	Type Type
	Span Span
}

// Type is a TypeProto. A value may have no type: the engine infers the type of a marked output.
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

// value appends the ValueInfoProto in f.
func (s *scanner) value(list []Value, f field, what string) ([]Value, error) {
	span, err := f.message(what)
	if err != nil {
		return nil, err
	}
	v, err := s.valueAt(span, what)
	if err != nil {
		return nil, err
	}
	return add(s.reader, list, f, v)
}

// valueInfo appends the span of the ValueInfoProto in f. It reads the whole message, so that a
// later read cannot fail.
func (s *scanner) valueInfo(list *Spans, f field) error {
	return s.keep(list, f, "a value_info", func(span Span) error {
		_, err := s.valueAt(span, "a value_info")
		return err
	})
}

// keep adds the span of a message to the list, and then checks the message. Objects that check
// makes are not charged for, because they are dropped.
func (s *scanner) keep(list *Spans, f field, what string, check func(Span) error) error {
	span, err := f.message(what)
	if err != nil {
		return err
	}
	if err := s.charge(f.offset, int(unsafe.Sizeof(span))); err != nil {
		return err
	}
	list.add(span)
	before := s.budget
	err = check(span)
	s.budget = before
	return err
}

// valueAt reads the ValueInfoProto at span.
func (s *scanner) valueAt(span Span, what string) (Value, error) {
	v := Value{Span: span}
	err := s.fields(span, func(f field) (err error) {
		switch f.number {
		case 1:
			v.Name, err = s.text(f, "the name of "+what)
		case 2:
			err = s.typeOf(&v.Type, f, 0)
		}
		return err
	})
	return v, err
}

// typeOf reads the TypeProto in f into t.
func (s *scanner) typeOf(t *Type, f field, depth int) error {
	span, err := f.message("a type")
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return &SyntaxError{f.offset, fmt.Sprintf("types are nested more than %d deep", maxDepth)}
	}
	return s.fields(span, func(f field) error {
		kind := slices.Index(typeFields[:], f.number)
		if kind <= int(Untyped) {
			return nil
		}
		if t.Kind = Kind(kind); t.Kind == OpaqueKind {
			return nil
		}
		return s.typeMember(t, f, depth)
	})
}

// typeMember reads one of TypeProto's nested messages. In tensors, fields 1 and 2 are an element
// type and a shape; in sequences and optionals, field 1 is a type; in maps, fields 1 and 2 are a
// key type and a value type.
func (s *scanner) typeMember(t *Type, f field, depth int) error {
	isTensor := t.Kind == TensorKind || t.Kind == SparseTensorKind
	return s.inside(f, "a type", func(f field) error {
		switch {
		case f.number == 1 && (isTensor || t.Kind == MapKind):
			v, err := f.integer("an element type")
			if t.Kind == MapKind {
				t.Key = int32(v)
			} else {
				t.Elem = int32(v)
			}
			return err
		case f.number == 2 && isTensor:
			t.HasShape = true
			return s.shape(t, f)
		case f.number == 1 || f.number == 2 && t.Kind == MapKind:
			t.Of = &Type{}
			if err := s.charge(f.offset, size[Type]()); err != nil {
				return err
			}
			return s.typeOf(t.Of, f, depth+1)
		}
		return nil
	})
}

// shape reads a TensorShapeProto into t.
func (s *scanner) shape(t *Type, f field) error {
	return s.inside(f, "a shape", func(f field) error {
		if f.number != 1 {
			return nil
		}
		dim := Dim{Size: -1}
		err := s.inside(f, "a dimension", func(f field) (err error) {
			switch f.number {
			case 1:
				dim.Size, err = f.integer("a dimension's size")
				dim.Size = max(dim.Size, -1) // exporters write various negative numbers for "dynamic"
			case 2:
				dim.Param, err = s.text(f, "a dimension's symbol")
			}
			return err
		})
		if err == nil {
			t.Dims, err = add(s.reader, t.Dims, f, dim)
		}
		return err
	})
}
