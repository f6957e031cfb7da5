package tract

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// codes lists the element types of tract's C API by tract's numbers. The low four bits of each
// number are the element's width in bytes.
var codes = dlopen.Codes{
	0x01: tensor.Bool,
	0x11: tensor.Uint8, 0x12: tensor.Uint16, 0x14: tensor.Uint32, 0x18: tensor.Uint64,
	0x21: tensor.Int8, 0x22: tensor.Int16, 0x24: tensor.Int32, 0x28: tensor.Int64,
	0x32: tensor.Float16, 0x34: tensor.Float32, 0x38: tensor.Float64,
}

// Supports reports whether tract's C API supports an element type.
func Supports(elem tensor.ElementType) bool { return codes.Of(elem) >= 0 }

// names maps the types to tract's names for them, as in [Fact.String].
var names = map[tensor.ElementType]string{tensor.Bool: "bool", tensor.Uint8: "u8",
	tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64", tensor.Int8: "i8",
	tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64", tensor.Float16: "f16",
	tensor.Float32: "f32", tensor.Float64: "f64"}

// Fact is the type and the shape of one input for which a model is prepared.
type Fact struct {
	Type  tensor.ElementType
	Shape tensor.Shape
}

// String returns the fact in tract's syntax: "1,3,224,224,f32".
func (f Fact) String() string {
	var b strings.Builder
	for _, d := range f.Shape {
		fmt.Fprintf(&b, "%d,", d)
	}
	return b.String() + names[f.Type]
}
