package tensor

import (
	"math"

	"github.com/x448/float16"
)

// Float32 widens a bfloat16 exactly: its bits are the upper half of a float32's.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// BF16FromFloat32 rounds to the nearest bfloat16, ties to even. NaN stays NaN, with its sign.
func BF16FromFloat32(f float32) BF16 {
	bits := math.Float32bits(f)
	if f != f {
		return BF16(bits>>16) | 0x0040 // keep a mantissa bit, or the NaN would read as infinity
	}
	return BF16((bits + 0x7fff + bits>>16&1) >> 16)
}

// float8 describes one 8-bit floating-point format of ONNX; source:
// https://onnx.ai/onnx/technical/float8.html.
type float8 struct {
	mantissa int  // width of the fraction
	bias     int  // of the exponent
	ieee     bool // the top exponent is for infinity and NaN
	unsigned bool // "uz": no negative zero, its pattern is the only NaN
}

var (
	e4m3fn   = float8{mantissa: 3, bias: 7}
	e4m3fnuz = float8{mantissa: 3, bias: 8, unsigned: true}
	e5m2     = float8{mantissa: 2, bias: 15, ieee: true}
	e5m2fnuz = float8{mantissa: 2, bias: 16, unsigned: true}
)

// decode widens one pattern exactly: ±(1+m/2^k)·2^(e−bias), or ±m/2^k·2^(1−bias) where e is 0.
func (f float8) decode(pattern uint8) float32 {
	sign, magnitude := float64(1), int(pattern&0x7f)
	if pattern&0x80 != 0 {
		sign = -1
	}
	exponent, fraction := magnitude>>f.mantissa, magnitude&(1<<f.mantissa-1)
	top := 0x7f >> f.mantissa
	switch {
	case f.unsigned && pattern == 0x80,
		f.ieee && exponent == top && fraction != 0,
		!f.ieee && !f.unsigned && magnitude == 0x7f:
		return float32(math.NaN())
	case f.ieee && exponent == top:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(sign * math.Ldexp(float64(fraction), 1-f.bias-f.mantissa))
	default:
		whole := fraction + 1<<f.mantissa
		return float32(sign * math.Ldexp(float64(whole), exponent-f.bias-f.mantissa))
	}
}

// float8Of is the format behind an element type, for the four types that have one.
func float8Of(t ElementType) (float8, bool) {
	switch t {
	case Float8E4M3FN:
		return e4m3fn, true
	case Float8E4M3FNUZ:
		return e4m3fnuz, true
	case Float8E5M2:
		return e5m2, true
	case Float8E5M2FNUZ:
		return e5m2fnuz, true
	}
	return float8{}, false
}

// nibble is the i-th 4-bit value of a packed buffer, low half first.
func nibble(data []byte, i int) uint8 {
	return data[i/2] >> (4 * (i % 2)) & 0x0f
}

// signedNibble widens a 4-bit two's complement value.
func signedNibble(v uint8) int8 { return int8(v<<4) >> 4 }

// halfAt is the i-th 16-bit word of a buffer, as a float16.
func halfAt(data []byte, i int) float16.Float16 {
	return float16.Frombits(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
}
