package tensor

import "fmt"

// ElementType is the type of a tensor's elements. The zero value is Invalid.
//
// The types and their widths are ONNX's. [ElementType.String] returns NumPy's name ("float32"), or
// ml_dtypes' name if NumPy has none ("bfloat16", "float8_e4m3fn").
type ElementType uint8

// The element types. A byte contains two elements of a 4-bit type, or four of a 2-bit type, lowest
// bits first.
const (
	Invalid ElementType = iota
	Float16
	BFloat16
	Float32
	Float64
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Bool
	String
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	Int4
	Uint4
	Float8E8M0
	Float4E2M1
	Int2
	Uint2
)

// kind groups element types by their arithmetic.
type kind uint8

const (
	kindNone kind = iota
	kindFloat
	kindSigned
	kindUnsigned
	kindBool
	kindString
)

// elementTypes is indexed by ElementType.
var elementTypes = [...]struct {
	name string
	bits int
	kind kind
}{
	Invalid:        {"invalid", 0, kindNone},
	Float16:        {"float16", 16, kindFloat},
	BFloat16:       {"bfloat16", 16, kindFloat},
	Float32:        {"float32", 32, kindFloat},
	Float64:        {"float64", 64, kindFloat},
	Int8:           {"int8", 8, kindSigned},
	Int16:          {"int16", 16, kindSigned},
	Int32:          {"int32", 32, kindSigned},
	Int64:          {"int64", 64, kindSigned},
	Uint8:          {"uint8", 8, kindUnsigned},
	Uint16:         {"uint16", 16, kindUnsigned},
	Uint32:         {"uint32", 32, kindUnsigned},
	Uint64:         {"uint64", 64, kindUnsigned},
	Bool:           {"bool", 8, kindBool},
	String:         {"string", 0, kindString},
	Float8E4M3FN:   {"float8_e4m3fn", 8, kindFloat},
	Float8E4M3FNUZ: {"float8_e4m3fnuz", 8, kindFloat},
	Float8E5M2:     {"float8_e5m2", 8, kindFloat},
	Float8E5M2FNUZ: {"float8_e5m2fnuz", 8, kindFloat},
	Int4:           {"int4", 4, kindSigned},
	Uint4:          {"uint4", 4, kindUnsigned},
	Float8E8M0:     {"float8_e8m0fnu", 8, kindFloat},
	Float4E2M1:     {"float4_e2m1fn", 4, kindFloat},
	Int2:           {"int2", 2, kindSigned},
	Uint2:          {"uint2", 2, kindUnsigned},
}

// ElementTypes lists every valid element type.
func ElementTypes() []ElementType {
	all := make([]ElementType, 0, len(elementTypes)-1)
	for t := Invalid + 1; int(t) < len(elementTypes); t++ {
		all = append(all, t)
	}
	return all
}

// ParseElementType returns the element type whose [ElementType.String] is name. An unknown name is
// an error.
func ParseElementType(name string) (ElementType, error) {
	for t := Invalid + 1; int(t) < len(elementTypes); t++ {
		if elementTypes[t].name == name {
			return t, nil
		}
	}
	return Invalid, fmt.Errorf("tensor: unknown element type %q", name)
}

// Valid reports whether t is one of the element types of this package other than Invalid.
func (t ElementType) Valid() bool { return t > Invalid && int(t) < len(elementTypes) }

// String returns the type's name, such as "float32".
func (t ElementType) String() string {
	if int(t) >= len(elementTypes) {
		return fmt.Sprintf("ElementType(%d)", uint8(t))
	}
	return elementTypes[t].name
}

// Bits returns the width of one stored element: 4 for int4, 8 for bool, and 0 for strings.
func (t ElementType) Bits() int {
	if !t.Valid() {
		return 0
	}
	return elementTypes[t].bits
}

// Bytes returns the size in bytes of a buffer of n elements. The size of 4-bit and 2-bit types is
// rounded up to a whole byte; the size of strings is 0.
func (t ElementType) Bytes(n int) int {
	switch t.Bits() {
	case 4:
		return n/2 + n%2
	case 2:
		return n/4 + (n%4+3)/4
	}
	return n * (t.Bits() / 8)
}

// IsFloat reports whether t is a floating-point type, of any width.
func (t ElementType) IsFloat() bool { return t.kind() == kindFloat }

// IsInteger reports whether t is a signed or unsigned integer type. Bool is not.
func (t ElementType) IsInteger() bool {
	return t.kind() == kindSigned || t.kind() == kindUnsigned
}

// IsSigned reports whether t is a signed integer type.
func (t ElementType) IsSigned() bool { return t.kind() == kindSigned }

func (t ElementType) kind() kind {
	if !t.Valid() {
		return kindNone
	}
	return elementTypes[t].kind
}

// MarshalText returns the type's name, so that JSON contains "float32" instead of a number.
func (t ElementType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (t *ElementType) UnmarshalText(text []byte) error {
	parsed, err := ParseElementType(string(text))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}
