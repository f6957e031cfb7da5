package compare

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// fQuantile returns the value x that a random variable with the F distribution exceeds with
// probability p. d1 and d2 are the degrees of freedom.
func fQuantile(p, d1, d2 float64) float64 {
	tail := func(x float64) float64 { // P(F > x)
		return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+float64(d1*x)))
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
