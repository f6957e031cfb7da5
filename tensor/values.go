package tensor

import (
	"fmt"
	"unsafe"

	"github.com/x448/float16"
)

// BF16 is the bit pattern of a bfloat16: the upper half of a float32.
type BF16 uint16

// Native lists the Go types that represent an [ElementType] directly. float16 values have a Go type
// of their own, float16.Float16, so they cannot be mistaken for uint16 values.
type Native interface {
	float32 | float64 | float16.Float16 | BF16 | bool |
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// typeOf returns the element type that T represents.
func typeOf[T Native]() ElementType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case float16.Float16:
		return Float16
	case BF16:
		return BFloat16
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	}
	return Invalid
}

// New returns a tensor with the element type that T represents. It uses values without a copy, so
// the caller must not modify them afterwards. It is an error if the shape is invalid or does not
// match len(values).
func New[T Native](shape Shape, values []T) (*Tensor, error) {
	elem := typeOf[T]()
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	if n != len(values) {
		return nil, fmt.Errorf("tensor: %v%v needs %d values, got %d", elem, shape, n, len(values))
	}
	return &Tensor{elem: elem, shape: shape.clone(), n: n, data: bytesOf(values)}, nil
}

// Of returns a one-dimensional tensor of its arguments, for specs and examples.
func Of[T Native](values ...T) *Tensor {
	return &Tensor{elem: typeOf[T](), shape: Shape{len(values)}, n: len(values),
		data: bytesOf(values)}
}

// Scalar returns a 0-d tensor with one value.
func Scalar[T Native](value T) *Tensor {
	return &Tensor{elem: typeOf[T](), shape: Shape{}, n: 1, data: bytesOf([]T{value})}
}

// Values returns the elements of t as values of type T. It makes no copy, so the caller must not
// modify the slice. It does not convert: it is an error if t has a different element type.
func Values[T Native](t *Tensor) ([]T, error) {
	if want := typeOf[T](); t.ElementType() != want {
		return nil, fmt.Errorf("tensor: the elements of %v%v are not %v", t.ElementType(), t.Shape(),
			want)
	}
	if t.n == 0 {
		return []T{}, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(t.Bytes()))), t.n), nil
}

// bytesOf returns the memory of values as bytes. Only little-endian machines are supported, so this
// is also the byte order in files.
func bytesOf[T Native](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(zero)))
}
