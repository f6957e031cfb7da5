package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// AppendValue appends a ValueInfoProto with a name and a type. If the type is Untyped, it appends
// only the name.
func AppendValue(b []byte, name string, t *Type) []byte {
	b = AppendText(b, 1, name)
	if t.Kind == Untyped {
		return b
	}
	return AppendMessage(b, 2, appendType(nil, t))
}

// typeFields lists the fields of TypeProto by kind.
var typeFields = [...]protowire.Number{
	TensorKind: typeTensor, SequenceKind: typeSequence, MapKind: typeMap,
	OptionalKind: typeOptional, SparseTensorKind: typeSparseTensor, OpaqueKind: typeOpaque,
}

// appendType appends a TypeProto. The recursion is bounded, because [Scan] rejects types that are
// nested too deeply.
func appendType(b []byte, t *Type) []byte {
	if t == nil || t.Kind == Untyped {
		return b
	}
	var member []byte
	switch t.Kind {
	case TensorKind, SparseTensorKind:
		member = AppendVarint(member, 1, uint64(t.Elem))
		if t.HasShape {
			member = AppendMessage(member, 2, appendShape(nil, t.Dims))
		}
	case SequenceKind, OptionalKind:
		member = AppendMessage(member, 1, appendType(nil, t.Of))
	case MapKind:
		member = AppendVarint(member, 1, uint64(t.Key))
		member = AppendMessage(member, 2, appendType(nil, t.Of))
	}
	return AppendMessage(b, typeFields[t.Kind], member)
}

func appendShape(b []byte, dims []Dim) []byte {
	for _, d := range dims {
		var dim []byte
		switch {
		case d.Size >= 0:
			dim = AppendVarint(dim, 1, uint64(d.Size))
		case d.Param != "":
			dim = AppendText(dim, 2, d.Param)
		}
		b = AppendMessage(b, 1, dim)
	}
	return b
}

// AppendModel appends a ModelProto with a graph. The graph comes first: OpenVINO cannot read a
// model if two opsets precede the graph.
func AppendModel(b []byte, irVersion int64, opsets []Opset, graph []byte) []byte {
	b = AppendMessage(AppendVarint(b, ModelIRVersion, uint64(irVersion)), ModelGraph, graph)
	for _, o := range opsets {
		b = AppendOpset(b, o)
	}
	return b
}

// AppendOpset appends an opset import to a ModelProto.
func AppendOpset(b []byte, o Opset) []byte {
	opset := AppendVarint(AppendText(nil, 1, o.Domain), 2, uint64(o.Version))
	return AppendMessage(b, ModelOpset, opset)
}

// AppendMessage appends a field that contains a message or other bytes.
func AppendMessage(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// AppendText appends a string field.
func AppendText(b []byte, number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// AppendVarint appends an integer field.
func AppendVarint(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}
