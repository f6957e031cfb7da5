package onnxruntime

import (
	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// Kind is the kind of an ONNX value. The numbers are the C API's (enum ONNXType).
type Kind int

// The kinds of values. None is an optional without a value.
const (
	None     Kind = 0
	Tensor   Kind = 1
	Sequence Kind = 2
	Map      Kind = 3
)

// Value is one input or output of a session, in Go's memory.
type Value struct {
	Kind   Kind
	Tensor *tensor.Tensor
	Items  []Value            // of a sequence; for a map, its key tensor and its value tensor
	Type   tensor.ElementType // of the tensors in an empty sequence
}

// Named is a value and the name of the input that it is for.
type Named struct {
	Name  string
	Value Value
}

// Codes lists the element types by the C API's numbers (enum ONNXTensorElementDataType). The
// numbers up to Float4E2M1 are the same as in onnx.proto. Float8E8M0 exists since 1.31; it is
// missing in the binding's header.
var Codes = dlopen.Codes{
	1:  tensor.Float32,
	2:  tensor.Uint8,
	3:  tensor.Int8,
	4:  tensor.Uint16,
	5:  tensor.Int16,
	6:  tensor.Int32,
	7:  tensor.Int64,
	8:  tensor.String,
	9:  tensor.Bool,
	10: tensor.Float16,
	11: tensor.Float64,
	12: tensor.Uint32,
	13: tensor.Uint64,
	16: tensor.BFloat16,
	17: tensor.Float8E4M3FN,
	18: tensor.Float8E4M3FNUZ,
	19: tensor.Float8E5M2,
	20: tensor.Float8E5M2FNUZ,
	21: tensor.Uint4,
	22: tensor.Int4,
	23: tensor.Float4E2M1,
	24: tensor.Uint2,
	25: tensor.Int2,
	26: tensor.Float8E8M0,
}
