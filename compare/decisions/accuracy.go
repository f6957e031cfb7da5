package decisions

import "math"

// Accuracy says how often a classifier is right. Value is the fraction of right rows; its
// confidence interval, Wilson's score interval, depends on the number of rows.
type Accuracy struct {
	Rows  int `json:"rows"`
	Right int `json:"right"`
	Estimate
}

// accuracyOf returns the fraction p of right rows among n rows, with Wilson's score interval. There
// must be at least 1 row. The interval is as follows, where z is the quantile [confident]:
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
func accuracyOf(right, rows int) Accuracy {
	z, n := confident, float64(rows)
	p := float64(right) / n
	middle := p + float64(z*z/(2*n))
	half := float64(z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))
	scale := 1 + z*z/n
	return Accuracy{rows, right, Estimate{p, math.Max(0, (middle-half)/scale),
		math.Min(1, (middle+half)/scale)}}
}

// confident is the two-sided 95 % quantile of the normal distribution.
const confident = 1.959963984540054
