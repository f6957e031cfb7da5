package trt

import (
	"cmp"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// dataTypes lists the element types that TensorRT has, with TensorRT's code and the name of the
// constant in package tensor.
var dataTypes = map[tensor.ElementType]struct {
	code     trtabi.DataType
	constant string
}{
	tensor.Float32:      {trtabi.Float32, "Float32"},
	tensor.Float16:      {trtabi.Float16, "Float16"},
	tensor.BFloat16:     {trtabi.BFloat16, "BFloat16"},
	tensor.Int8:         {trtabi.Int8, "Int8"},
	tensor.Int32:        {trtabi.Int32, "Int32"},
	tensor.Int64:        {trtabi.Int64, "Int64"},
	tensor.Uint8:        {trtabi.Uint8, "Uint8"},
	tensor.Bool:         {trtabi.Bool, "Bool"},
	tensor.Float8E4M3FN: {trtabi.FP8, "Float8E4M3FN"},
	tensor.Int4:         {trtabi.Int4, "Int4"},
}

// elementType returns the element type for TensorRT's code t.
func elementType(t trtabi.DataType) (tensor.ElementType, error) {
	for elem, of := range dataTypes {
		if of.code == t {
			return elem, nil
		}
	}
	return tensor.Invalid, fmt.Errorf("TensorRT's element type %v is not supported", t)
}

// inGoType returns an element type as an option's argument. In Go source, it is a constant such as
// tensor.Float16.
func inGoType(t tensor.ElementType) option.Argument {
	code := cmp.Or(dataTypes[t].constant, fmt.Sprintf("ElementType(%d)", t))
	return option.Argument{Text: t.String(), Code: "tensor." + code}
}
