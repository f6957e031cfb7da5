package onnxruntime

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
	Kind    Kind
	Type    ElementType // of a tensor, or of the tensors in an empty sequence
	Shape   []int       // of a tensor
	Data    []byte      // of a tensor without strings: little-endian; types below 8 bits are packed
	Strings []string    // of a tensor of strings
	Items   []Value     // of a sequence; for a map, its key tensor and its value tensor
}

// Named is a value and the name of the input that it is for.
type Named struct {
	Name  string
	Value Value
}

// ElementType is the C API's number for an element type (enum ONNXTensorElementDataType). The
// numbers up to Float4E2M1 are the same as in onnx.proto.
type ElementType int32

// The element types.
const (
	Float32        ElementType = 1
	Uint8          ElementType = 2
	Int8           ElementType = 3
	Uint16         ElementType = 4
	Int16          ElementType = 5
	Int32          ElementType = 6
	Int64          ElementType = 7
	String         ElementType = 8
	Bool           ElementType = 9
	Float16        ElementType = 10
	Float64        ElementType = 11
	Uint32         ElementType = 12
	Uint64         ElementType = 13
	Complex64      ElementType = 14
	Complex128     ElementType = 15
	BFloat16       ElementType = 16
	Float8E4M3FN   ElementType = 17
	Float8E4M3FNUZ ElementType = 18
	Float8E5M2     ElementType = 19
	Float8E5M2FNUZ ElementType = 20
	Uint4          ElementType = 21
	Int4           ElementType = 22
	Float4E2M1     ElementType = 23
	Uint2          ElementType = 24
	Int2           ElementType = 25
	Float8E8M0     ElementType = 26 // since 1.31; missing in the binding's header
)

// bits returns the width of one stored element, or 0 if the type is unknown.
func (t ElementType) bits() int {
	switch t {
	case Uint8, Int8, Bool, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float8E8M0:
		return 8
	case Uint16, Int16, Float16, BFloat16:
		return 16
	case Float32, Int32, Uint32:
		return 32
	case Float64, Int64, Uint64, Complex64:
		return 64
	case Complex128:
		return 128
	case Uint4, Int4, Float4E2M1:
		return 4
	case Uint2, Int2:
		return 2
	}
	return 0
}
