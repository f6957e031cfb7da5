package openvino

// Tensor is one input or output in Go's memory.
type Tensor struct {
	Type  ElementType
	Shape []int
	Data  []byte // little-endian; types below 8 bits are packed
}

// clearRest clears the unused bits of the last byte, which OpenVINO leaves undefined.
func (t Tensor) clearRest() {
	bits := 1
	switch t.Type {
	case Int4, Uint4, Float4E2M1:
		bits = 4
	case Uint2:
		bits = 2
	case Uint1:
	default:
		return
	}
	for _, d := range t.Shape {
		bits *= d
	}
	if rest := bits % 8; rest > 0 && len(t.Data) == bits/8+1 {
		t.Data[bits/8] &= 1<<rest - 1
	}
}

// Feed is a tensor and the input that it is for.
type Feed struct {
	Input  int // index of the input
	Tensor Tensor
}

// Port describes one input or output of a model.
type Port struct {
	Name    string // one of the port's names; "" if it has none
	Type    ElementType
	HasRank bool
	Dims    []Dimension
}

// Dimension is the range of sizes that a dimension may have, including Min and Max. Max is -1 if
// there is no limit.
type Dimension struct{ Min, Max int }

// Fixed returns a dimension with only one possible size.
func Fixed(size int) Dimension { return Dimension{size, size} }

// Kernel describes the code that computes a node of a compiled model: the node's type, such as
// FullyConnected, and the kernel's name, which ends in the precision, such as brgemm_avx512_f32.
type Kernel struct{ Type, Name string }

// Setting is a property and its value, in OpenVINO's spelling: INFERENCE_PRECISION_HINT, f32.
type Setting struct{ Key, Value string }

// ElementType is the C API's number for an element type (enum ov_element_type_e).
type ElementType int32

// The element types. ONNX lacks U1, U3, U6 and NF4; OpenVINO lacks complex numbers, int2 and the
// float8 types without infinity and negative zero (FNUZ).
const (
	Dynamic    ElementType = 0
	Bool       ElementType = 1
	BFloat16   ElementType = 2
	Float16    ElementType = 3
	Float32    ElementType = 4
	Float64    ElementType = 5
	Int4       ElementType = 6
	Int8       ElementType = 7
	Int16      ElementType = 8
	Int32      ElementType = 9
	Int64      ElementType = 10
	Uint1      ElementType = 11
	Uint2      ElementType = 12
	Uint3      ElementType = 13
	Uint4      ElementType = 14
	Uint6      ElementType = 15
	Uint8      ElementType = 16
	Uint16     ElementType = 17
	Uint32     ElementType = 18
	Uint64     ElementType = 19
	NF4        ElementType = 20
	Float8E4M3 ElementType = 21
	Float8E5M2 ElementType = 22
	String     ElementType = 23 // valid in models, but not in a [Tensor]
	Float4E2M1 ElementType = 24
	Float8E8M0 ElementType = 25
)
