package compare

import (
	"sync"
	"unsafe"

	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// chunk is the number of elements that are converted and subtracted at a time. Its buffers fit into
// the L1 cache. It is even, so that a chunk of 4-bit elements starts on a byte boundary.
const chunk = 1024

// scratch contains the buffers of one worker.
type scratch struct {
	a32, b32, abs32, rel32 [chunk]float32
	a64, b64, abs64, rel64 [chunk]float64
	aInt, bInt             [chunk]int64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// view returns elements [lo,hi) of t without conversion. T must be the type of t's elements, or a
// type of the same width whose bits are wanted.
func view[T any](t *tensor.Tensor, lo, hi int) []T {
	if hi <= lo {
		return nil
	}
	var one T
	width := int(unsafe.Sizeof(one))
	part := spill.Part(t, lo*width, hi*width)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), hi-lo)
}

// float32s returns elements [lo,hi) of a float tensor of up to 32 bits, or of a bool tensor. It
// uses buffer only if a conversion is needed.
func float32s(t *tensor.Tensor, lo, hi int, buffer *[chunk]float32) []float32 {
	if t.ElementType() == tensor.Float32 {
		return view[float32](t, lo, hi)
	}
	dst := buffer[:hi-lo]
	switch t.ElementType() {
	case tensor.Float16:
		widenHalves(dst, view[uint16](t, lo, hi))
	case tensor.BFloat16:
		for i, v := range view[tensor.BF16](t, lo, hi) {
			dst[i] = v.Float32()
		}
	case tensor.Bool:
		for i, v := range view[uint8](t, lo, hi) {
			dst[i] = float32(min(v, 1))
		}
	default: // float8 and float4
		for i := range dst {
			dst[i] = float32(t.Float64At(lo + i))
		}
	}
	return dst
}

// float64s returns elements [lo,hi) of any numeric tensor. Integers beyond 2⁵³ are rounded.
func float64s(t *tensor.Tensor, lo, hi int, buffer *[chunk]float64) []float64 {
	if t.ElementType() == tensor.Float64 {
		return view[float64](t, lo, hi)
	}
	dst := buffer[:hi-lo]
	switch {
	case t.ElementType() == tensor.Uint64:
		for i, v := range view[uint64](t, lo, hi) {
			dst[i] = float64(v)
		}
	case t.ElementType().IsFloat():
		var narrow [chunk]float32
		for i, v := range float32s(t, lo, hi, &narrow) {
			dst[i] = float64(v)
		}
	default:
		var whole [chunk]int64
		for i, v := range int64s(t, lo, hi, &whole) {
			dst[i] = float64(v)
		}
	}
	return dst
}

// int64s returns elements [lo,hi) of an integer tensor other than uint64, or of a bool tensor.
func int64s(t *tensor.Tensor, lo, hi int, buffer *[chunk]int64) []int64 {
	dst := buffer[:hi-lo]
	switch t.ElementType() {
	case tensor.Int64:
		return view[int64](t, lo, hi)
	case tensor.Int8:
		widen(dst, view[int8](t, lo, hi))
	case tensor.Uint8:
		widen(dst, view[uint8](t, lo, hi))
	case tensor.Int16:
		widen(dst, view[int16](t, lo, hi))
	case tensor.Uint16:
		widen(dst, view[uint16](t, lo, hi))
	case tensor.Int32:
		widen(dst, view[int32](t, lo, hi))
	case tensor.Uint32:
		widen(dst, view[uint32](t, lo, hi))
	case tensor.Bool:
		for i, v := range view[uint8](t, lo, hi) {
			dst[i] = int64(min(v, 1))
		}
	default: // elements of 4 or 2 bits
		for i := range dst {
			dst[i] = int64(t.Float64At(lo + i))
		}
	}
	return dst
}

// uint64s returns elements [lo,hi) of a uint64 or bool tensor. It uses buffer only for bools, which
// it converts.
func uint64s(t *tensor.Tensor, lo, hi int, buffer *[chunk]int64) []uint64 {
	if t.ElementType() == tensor.Uint64 {
		return view[uint64](t, lo, hi)
	}
	bits := int64s(t, lo, hi, buffer)
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(bits))), len(bits))
}

func widen[T int8 | uint8 | int16 | uint16 | int32 | uint32](dst []int64, src []T) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}
