package compare

import "gonum.org/v1/gonum/mathext"

// fQuantile returns the value x that a random variable with the F distribution exceeds with
// probability p. d1 and d2 are the degrees of freedom.
func fQuantile(p, d1, d2 float64) float64 {
	return least(func(x float64) bool { // whether P(F > x) ≤ p
		return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+float64(d1*x))) <= p
	})
}
