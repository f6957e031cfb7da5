package decisions

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
)

// Accuracy says how often a classifier is right, with a confidence interval that depends on the
// number of rows.
type Accuracy struct {
	Rows  int     `json:"rows"`
	Right int     `json:"right"`
	Share float64 `json:"share"`
	// Least and Most are the ends of the 95 % confidence interval of Share: Wilson's score interval.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// text returns the share with its interval, such as "0.91 (0.88 to 0.935 at 95 % confidence)".
func (a Accuracy) text() string {
	return fmt.Sprintf("%s (%s to %s at 95 %% confidence)", figures.Short(a.Share),
		figures.Short(a.Least), figures.Short(a.Most))
}

// accuracyOf returns the share of right rows with its interval. rows must be at least 1.
func accuracyOf(right, rows int) Accuracy {
	a := Accuracy{Rows: rows, Right: right, Share: float64(right) / float64(rows)}
	a.Least, a.Most = wilson(right, rows, confident)
	return a
}

// confident is the two-sided 95 % quantile of the normal distribution.
const confident = 1.959963984540054

// wilson returns Wilson's score interval for the share p of right rows, given a quantile z of the
// normal distribution:
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
func wilson(right, rows int, z float64) (least, most float64) {
	n := float64(rows)
	p := float64(right) / n
	middle := p + float64(z*z/(2*n))
	half := float64(z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))
	scale := 1 + z*z/n
	return math.Max(0, (middle-half)/scale), math.Min(1, (middle+half)/scale)
}
