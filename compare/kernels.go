package compare

import "github.com/modelparity/modelparity/internal/overview"

// This file holds the inner loops in plain Go. kernels_amd64.s holds the same loops in assembly for
// processors with AVX2, with bitwise identical results. The build tag purego leaves out the
// assembly.

// mismatchesGo counts the elements with |a−b| > atol and |a−b|/|b| > rtol; NaN exceeds both. In the
// division, zero replaces values of b that are 0.
func mismatchesGo(a, b []float32, atol, rtol, zero float32) int {
	return mismatchingFloats(a, b, atol, rtol, zero)
}

// mismatchesHalfGo is mismatchesGo for float16.
func mismatchesHalfGo(a, b []uint16, atol, rtol, zero float32) (count int) {
	var wideA, wideB [64]float32
	for len(a) > 0 {
		n := min(len(a), len(wideA))
		overview.WidenHalves(wideA[:n], a[:n])
		overview.WidenHalves(wideB[:n], b[:n])
		count += mismatchesGo(wideA[:n], wideB[:n], atol, rtol, zero)
		a, b = a[n:], b[n:]
	}
	return count
}

// mismatchesBrainGo is mismatchesGo for bfloat16, whose bits are the upper half of a float32.
func mismatchesBrainGo(a, b []uint16, atol, rtol, zero float32) (count int) {
	var wideA, wideB [64]float32
	for len(a) > 0 {
		n := min(len(a), len(wideA))
		for i := range n {
			wideA[i], wideB[i] = frombits32(uint32(a[i])<<16), frombits32(uint32(b[i])<<16)
		}
		count += mismatchesGo(wideA[:n], wideB[:n], atol, rtol, zero)
		a, b = a[n:], b[n:]
	}
	return count
}

// bytesAtOnce is the block size of withinBytes.
const bytesAtOnce = 64

// withinBytesGo returns the start of the first block of 64 bytes in which two bytes at the same
// position, one in each slice, differ by more than within. It returns len(a) if there is no such
// block. flip is XORed into each byte, so that signed bytes sort like their values; bytes above
// most are treated as most.
func withinBytesGo(a, b []uint8, flip, most, within uint8) int {
	for at := 0; at < len(a); at += bytesAtOnce {
		end := min(at+bytesAtOnce, len(a))
		far, x, y := uint8(0), a[at:end], b[at:end]
		for i := range x {
			v, w := min(x[i], most)^flip, min(y[i], most)^flip
			far = max(far, max(v, w)-min(v, w))
		}
		if far > within {
			return at
		}
	}
	return len(a)
}

// errorsGo writes |a−b| to abs and |a−b|/|b| to rel, each rounded to float32.
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

// lanes holds the eight partial sums of one sum: element i is added to lane i mod 8, as in the
// vector registers.
type lanes [8]float64

func (l *lanes) sum() float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// fold32, which has an assembly version, applies foldGo to the absolute and to the relative errors
// at once. Both maxima start at zero.

// foldGo adds values to the lanes. It returns the maximum of most and all values, or NaN if a value
// is NaN. No value is negative.
func foldGo[F float32 | float64](values []F, most F, l *lanes) F {
	i := 0
	for ; i+8 <= len(values); i += 8 {
		v := (*[8]F)(values[i:])
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
