package compare

// This file contains the inner loops in plain Go. kernels_amd64.s has the same loops in assembly
// for processors with AVX2, with bitwise identical results. The build tag purego leaves out the
// assembly.

// errorsGo writes |a−b| to abs and |a−b|/|b| to rel, each rounded to float32. floatErrors32 does
// the same, and also adds up both results as foldGo does.
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

// lanes contains the eight partial sums of one sum: element i is added to lane i mod 8, as in the
// vector registers.
type lanes [8]float64

func (l *lanes) sum() float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// foldGo adds values to the lanes. It returns the largest of the values and most, or NaN if a value
// is NaN. The values must not be negative.
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
