package tract

import (
	"fmt"
	"math"
	"strings"
)

// DatumType is tract's number for an element type.
type DatumType uint32

// The element types of tract's C API. The low four bits of each code are the element's width in
// bytes.
const (
	Bool    DatumType = 0x01
	Uint8   DatumType = 0x11
	Uint16  DatumType = 0x12
	Uint32  DatumType = 0x14
	Uint64  DatumType = 0x18
	Int8    DatumType = 0x21
	Int16   DatumType = 0x22
	Int32   DatumType = 0x24
	Int64   DatumType = 0x28
	Float16 DatumType = 0x32
	Float32 DatumType = 0x34
	Float64 DatumType = 0x38
)

// names maps the types to tract's names for them, as in [Fact.String].
var names = map[DatumType]string{Bool: "bool", Uint8: "u8", Uint16: "u16", Uint32: "u32",
	Uint64: "u64", Int8: "i8", Int16: "i16", Int32: "i32", Int64: "i64", Float16: "f16",
	Float32: "f32", Float64: "f64"}

// Size returns the width of an element in bytes, or 0 if the type is unknown.
func (t DatumType) Size() int {
	if names[t] == "" {
		return 0
	}
	return int(t & 0xf)
}

// Value is one tensor in Go's memory: little-endian, in row-major order.
type Value struct {
	Type  DatumType
	Shape []int
	Data  []byte
}

// Fact is the type and the shape of one input for which a model is prepared.
type Fact struct {
	Type  DatumType
	Shape []int
}

// String returns the fact in tract's syntax: "1,3,224,224,f32".
func (f Fact) String() string {
	var b strings.Builder
	for _, d := range f.Shape {
		fmt.Fprintf(&b, "%d,", d)
	}
	return b.String() + names[f.Type]
}

// bytes returns the size in bytes of a tensor with that type and shape.
func bytes(t DatumType, shape []int) (int, error) {
	size := t.Size()
	if size == 0 {
		return 0, fmt.Errorf("unknown element type %#x", uint32(t))
	}
	for _, d := range shape {
		if d < 0 || d > 0 && size > math.MaxInt/d {
			return 0, fmt.Errorf("invalid shape %v", shape)
		}
		size *= d
	}
	return size, nil
}
