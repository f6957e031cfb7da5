package compare

// The inner loops over float32, in plain Go. On amd64 with AVX2 the same loops exist in assembly
// (kernels_amd64.s), with equal results to the last bit; the build tag purego leaves them out.

// mismatchesGo counts |a−b| > atol and |a−b|/|b| > rtol, NaN counting as more; zero is what a
// reference of zero is replaced by.
func mismatchesGo(a, b []float32, atol, rtol, zero float32) int {
	return mismatchingFloats(a, b, atol, rtol, zero)
}

// errorsGo is |a−b| and |a−b|/|b|, each rounded to float32.
func errorsGo(abs, rel, a, b []float32, zero float32) {
	b, abs, rel = b[:len(a)], abs[:len(a)], rel[:len(a)]
	for i, x := range a {
		y := b[i]
		d := abs32(x - y)
		if y == 0 {
			y = zero
		}
		abs[i], rel[i] = d, d/abs32(y)
	}
}

// lanes is how many partial sums a fold keeps: element i goes to lane i mod 8, as in the registers.
type lanes [8]float64

func (l *lanes) sum() float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// foldGo adds values to the lanes and returns the greatest of them and most, both not negative, or
// NaN if there is one.
func foldGo(values []float32, most float32, l *lanes) float32 {
	i := 0
	for ; i+8 <= len(values); i += 8 {
		v := (*[8]float32)(values[i:])
		for j := range v {
			l[j] += float64(v[j])
			if !(v[j] <= most) && most == most {
				most = v[j]
			}
		}
	}
	for j, v := range values[i:] {
		l[j] += float64(v)
		if !(v <= most) && most == most {
			most = v
		}
	}
	return most
}

// halvesGo widens IEEE binary16 exactly. Shifted into a float32's place, the bits are the value
// times 2⁻¹¹², subnormals included; only the top exponent needs a hand.
func halvesGo(dst []float32, src []uint16) {
	dst = dst[:len(src)]
	for i, h := range src {
		bits := uint32(h&0x7fff) << 13
		f := frombits32(bits) * 0x1p112
		if h&0x7c00 == 0x7c00 {
			f = frombits32(bits | 0x7f800000)
		}
		dst[i] = frombits32(bits32(f) | uint32(h&0x8000)<<16)
	}
}
