package tensor

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"
)

// Float64At returns element i as a float64. Integers beyond 2^53 are rounded, bools are 0 and 1,
// and strings are NaN; all other types convert exactly. It panics if i is out of range.
func (t *Tensor) Float64At(i int) float64 {
	d, at := t.element(i)
	switch t.elem {
	case Float16:
		return float64(float16.Frombits(binary.LittleEndian.Uint16(d[2*at:])).Float32())
	case BFloat16:
		return float64(BF16(binary.LittleEndian.Uint16(d[2*at:])).Float32())
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(d[4*at:])))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(d[8*at:]))
	case Float8E8M0:
		return powerOfTwo(d[at])
	case Float4E2M1:
		return float64(e2m1[packed(d, at, 4)])
	case String:
		return math.NaN()
	}
	if format := &float8s[t.elem]; format.mantissa > 0 {
		return float64(format.decode(d[at]))
	}
	if t.elem.IsSigned() {
		return float64(t.int64At(i))
	}
	return float64(t.uint64At(i))
}

// Float64s returns every element, converted as by [Tensor.Float64At], in a new slice.
func (t *Tensor) Float64s() []float64 {
	values := make([]float64, t.Len())
	for i := range values {
		values[i] = t.Float64At(i)
	}
	return values
}

// int64At returns element i of a signed integer tensor.
func (t *Tensor) int64At(i int) int64 {
	unused := 64 - t.elem.Bits()
	return int64(t.uint64At(i)<<unused) >> unused // extends the sign
}

// uint64At returns element i of an unsigned integer or bool tensor, or a signed integer's bits.
func (t *Tensor) uint64At(i int) uint64 {
	d, i := t.element(i)
	switch bits := t.elem.Bits(); {
	case t.elem == Bool:
		return uint64(min(d[i], 1))
	case bits == 64:
		return binary.LittleEndian.Uint64(d[8*i:])
	case bits == 32:
		return uint64(binary.LittleEndian.Uint32(d[4*i:]))
	case bits == 16:
		return uint64(binary.LittleEndian.Uint16(d[2*i:]))
	default:
		return uint64(packed(d, i, bits))
	}
}

// element returns a byte slice that contains element i, and the index of the element in that slice.
// The type of t must not be String.
func (t *Tensor) element(i int) (d []byte, at int) {
	if t.stored == nil || i < 0 || i >= t.n {
		return t.data, i
	}
	bits := t.elem.Bits()
	first := i * bits / 8
	return t.stored(first, first+max(1, bits/8)), i - first*8/bits
}
