package onnxfile

import (
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// ElementTypeOf returns the element type for the number of an ONNX data type, or Invalid.
func ElementTypeOf(number int32) tensor.ElementType { return onnxpb.ElementTypeOf(number) }

// NumberOf returns the number of the ONNX data type for an element type. It returns a negative
// number if ONNX has no such type.
func NumberOf(elem tensor.ElementType) int32 { return onnxpb.NumberOf(elem) }

// DataTypeName returns ONNX's name for a data type, or "data type N" for an unknown number.
func DataTypeName(number int32) string { return onnxpb.DataTypeName(number) }

// TypeName formats a type as ONNX's operator documentation does. The recursion is bounded, because
// loading a model rejects types that are nested too deeply.
func TypeName(t *onnxwire.Type) string {
	if t == nil {
		return "untyped"
	}
	switch t.Kind {
	case onnxwire.TensorKind:
		return "tensor(" + DataTypeName(t.Elem) + ")"
	case onnxwire.SparseTensorKind:
		return "sparse_tensor(" + DataTypeName(t.Elem) + ")"
	case onnxwire.SequenceKind:
		return "seq(" + TypeName(t.Of) + ")"
	case onnxwire.OptionalKind:
		return "optional(" + TypeName(t.Of) + ")"
	case onnxwire.MapKind:
		return "map(" + DataTypeName(t.Key) + "," + TypeName(t.Of) + ")"
	case onnxwire.OpaqueKind:
		return "opaque"
	}
	return "untyped"
}
