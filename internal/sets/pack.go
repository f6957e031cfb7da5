package sets

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// Converted returns the tensor in another element type: floats as by [tensor.Tensor.Convert],
// integers and bools limited to the new type's range. It is an error to convert between floats and
// integers, because such integers are usually quantized values.
func Converted(t *tensor.Tensor, e tensor.ElementType) (*tensor.Tensor, error) {
	from := t.ElementType()
	if from == e || from.IsFloat() || e.IsFloat() || from == tensor.String {
		return t.Convert(e)
	}
	return Pack(e, t.Shape(), t.Float64s())
}

// Pack converts values to a tensor, rounded and limited to the type's range. If the type is an
// integer type, values are rounded towards zero, and NaN becomes the type's lowest value.
func Pack[T float32 | float64](e tensor.ElementType, shape tensor.Shape, values []T) (
	*tensor.Tensor, error) {
	if e.IsFloat() && e.Bits() >= 16 {
		wide, err := tensor.New(shape, values)
		if err != nil {
			return nil, err
		}
		return wide.Convert(e)
	}
	if !e.IsInteger() && e != tensor.Bool || e.Bits() < 8 {
		return nil, fmt.Errorf("numbers cannot be converted to %v, only to floats of 16 bits or "+
			"more, integers of 8 bits or more, and bools", e)
	}
	lo, hi := Bounds(e)
	var word [8]byte
	data := make([]byte, 0, e.Bytes(len(values)))
	for _, v := range values {
		whole := lo // also for NaN
		if float64(v) > lo {
			whole = min(hi, float64(v))
		}
		binary.LittleEndian.PutUint64(word[:], uint64(int64(whole)))
		data = append(data, word[:e.Bits()/8]...)
	}
	return tensor.FromBytes(e, shape, data)
}

// Bounds returns the type's smallest and largest values. For integer types, it considers only
// values of at most 53 bits, which float64 represents exactly.
func Bounds(e tensor.ElementType) (lo, hi float64) {
	switch e {
	case tensor.Float32:
		return -math.MaxFloat32, math.MaxFloat32
	case tensor.Float16:
		return -65504, 65504
	case tensor.BFloat16:
		return -0x1.FEp127, 0x1.FEp127
	case tensor.Float64:
		return -math.MaxFloat64, math.MaxFloat64
	case tensor.Bool:
		return 0, 1
	}
	bits := min(e.Bits(), 53)
	if e.IsInteger() && !e.IsSigned() {
		return 0, math.Ldexp(1, bits) - 1
	}
	return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1
}
