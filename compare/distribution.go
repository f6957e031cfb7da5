package compare

import "math"

// fQuantile returns the value x that a random variable with the F distribution exceeds with
// probability p. d1 and d2 are the degrees of freedom.
func fQuantile(p, d1, d2 float64) float64 {
	tail := func(x float64) float64 { // P(F > x)
		return incompleteBeta(d2/2, d1/2, d2/(d2+float64(d1*x)))
	}
	low, high := 0.0, 1.0
	for tail(high) > p && high < math.MaxFloat64/4 {
		low, high = high, 2*high
	}
	for range 200 {
		middle := low + float64((high-low)/2)
		if middle == low || middle == high {
			break
		}
		if tail(middle) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// incompleteBeta returns the regularized incomplete beta function I_x(a,b), computed from its
// continued fraction (DLMF 8.17.22) with Lentz's algorithm.
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return min(max(x, 0), 1)
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+float64(a*math.Log(x))+float64(b*math.Log1p(-x))) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	for k := 1.0; k < 10_000; k++ {
		for _, e := range [2]float64{
			k * (b - k) * x / ((a + float64(2*k) - 1) * (a + float64(2*k))),
			-(a + k) * (a + b + k) * x / ((a + float64(2*k)) * (a + float64(2*k) + 1)),
		} {
			if d = 1 + float64(e*d); math.Abs(d) < tiny {
				d = tiny
			}
			if c = 1 + e/c; math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f *= c * d
		}
		if math.Abs(float64(c*d)-1) < 1e-15 {
			break
		}
	}
	return front * f
}
