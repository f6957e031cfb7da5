package tensor

import "math"

// Float32 converts a bfloat16 exactly: its bits are the upper half of a float32's.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// BF16FromFloat32 rounds to the nearest bfloat16, ties to even. NaN stays NaN, with its sign.
func BF16FromFloat32(f float32) BF16 {
	bits := math.Float32bits(f)
	if f != f {
		return BF16(bits>>16) | 0x0040 // set a mantissa bit, or the NaN could become an infinity
	}
	return BF16((bits + 0x7fff + bits>>16&1) >> 16)
}

// float8 describes one of ONNX's 8-bit floating-point formats; source:
// https://onnx.ai/onnx/technical/float8.html.
type float8 struct {
	mantissa int  // width of the fraction
	bias     int  // exponent bias
	ieee     bool // the top exponent is for infinity and NaN
	unsigned bool // "uz": the pattern of negative zero is the only NaN
}

// float8s is indexed by ElementType. Other types have the zero value.
var float8s = [len(elementTypes)]float8{
	Float8E4M3FN:   {mantissa: 3, bias: 7},
	Float8E4M3FNUZ: {mantissa: 3, bias: 8, unsigned: true},
	Float8E5M2:     {mantissa: 2, bias: 15, ieee: true},
	Float8E5M2FNUZ: {mantissa: 2, bias: 16, unsigned: true},
}

// decode converts one pattern exactly. With e the exponent bits and m the k bits of the mantissa,
// the value is ±(1+m/2^k)·2^(e−bias), or ±m/2^k·2^(1−bias) if e is 0.
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

// powerOfTwo decodes float8_e8m0, which has only an exponent: 2^(pattern−127), and NaN for 255.
// Source: https://onnx.ai/onnx/technical/float8.html.
func powerOfTwo(pattern uint8) float64 {
	if pattern == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(pattern)-127)
}

// e2m1 lists the value of each pattern of float4_e2m1, which has no NaN and no infinity. Source:
// https://onnx.ai/onnx/technical/float4.html.
var e2m1 = [16]float32{0, 0.5, 1, 1.5, 2, 3, 4, 6,
	float32(math.Copysign(0, -1)), -0.5, -1, -1.5, -2, -3, -4, -6}

// packed returns the i-th value in a buffer of 4-bit or 2-bit values, lowest bits first.
func packed(data []byte, i, bits int) uint8 {
	perByte := 8 / bits
	return data[i/perByte] >> (bits * (i % perByte)) & (1<<bits - 1)
}
