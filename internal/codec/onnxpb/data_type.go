package onnxpb

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Numbers of the fields of TensorProto that contain values, unless they are in raw_data.
const (
	floatData  protowire.Number = 4
	int32Data  protowire.Number = 5
	stringData protowire.Number = 6
	int64Data  protowire.Number = 7
	rawData                     = onnxwire.TensorRawData
	doubleData protowire.Number = 10
	uint64Data protowire.Number = 11
)

// storage returns the number of the TensorProto field that contains values of the element type.
func storage(elem tensor.ElementType) protowire.Number {
	switch elem {
	case tensor.Float32:
		return floatData
	case tensor.Int64:
		return int64Data
	case tensor.String:
		return stringData
	case tensor.Float64:
		return doubleData
	case tensor.Uint32, tensor.Uint64:
		return uint64Data
	}
	return int32Data
}

// dataType is one of ONNX's data types, with the corresponding element type.
type dataType struct {
	name string
	elem tensor.ElementType
}

// dataTypes is TensorProto.DataType of onnx.proto 1.22, by number. It includes the names of types
// that [tensor] does not support.
var dataTypes = [...]dataType{
	0:  {"undefined", tensor.Invalid},
	1:  {"float", tensor.Float32},
	2:  {"uint8", tensor.Uint8},
	3:  {"int8", tensor.Int8},
	4:  {"uint16", tensor.Uint16},
	5:  {"int16", tensor.Int16},
	6:  {"int32", tensor.Int32},
	7:  {"int64", tensor.Int64},
	8:  {"string", tensor.String},
	9:  {"bool", tensor.Bool},
	10: {"float16", tensor.Float16},
	11: {"double", tensor.Float64},
	12: {"uint32", tensor.Uint32},
	13: {"uint64", tensor.Uint64},
	14: {"complex64", tensor.Invalid},
	15: {"complex128", tensor.Invalid},
	16: {"bfloat16", tensor.BFloat16},
	17: {"float8e4m3fn", tensor.Float8E4M3FN},
	18: {"float8e4m3fnuz", tensor.Float8E4M3FNUZ},
	19: {"float8e5m2", tensor.Float8E5M2},
	20: {"float8e5m2fnuz", tensor.Float8E5M2FNUZ},
	21: {"uint4", tensor.Uint4},
	22: {"int4", tensor.Int4},
	23: {"float4e2m1", tensor.Float4E2M1},
	24: {"float8e8m0", tensor.Float8E8M0},
	25: {"uint2", tensor.Uint2},
	26: {"int2", tensor.Int2},
}

// DataTypeName returns ONNX's name for a data type, or "data type N" for an unknown number.
func DataTypeName(number int32) string {
	if number < 0 || int(number) >= len(dataTypes) {
		return fmt.Sprintf("data type %d", number)
	}
	return dataTypes[number].name
}

// ElementTypeOf returns the element type for the number of an ONNX data type, or Invalid.
func ElementTypeOf(number int32) tensor.ElementType {
	if number < 0 || int(number) >= len(dataTypes) {
		return tensor.Invalid
	}
	return dataTypes[number].elem
}

// NumberOf returns the number of the ONNX data type for an element type. It returns a negative
// number if ONNX has no such type.
func NumberOf(elem tensor.ElementType) int32 {
	return int32(slices.IndexFunc(dataTypes[:], func(t dataType) bool {
		return t.elem == elem && elem.Valid()
	}))
}
