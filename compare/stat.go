package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// Stat names the statistic of the errors that [Within] holds to its tolerances: [Elementwise],
// [Max], [Mean], [Median] or [Quantile].
type Stat string

// The statistics without a parameter.
const (
	// Elementwise holds every element's own two errors to the tolerances.
	Elementwise Stat = "elementwise"
	// Max is the greatest absolute and the greatest relative error, which may come from different
	// elements: max is stricter than elementwise.
	Max Stat = "max"
	// Mean is the arithmetic mean of the errors, summed in float64.
	Mean Stat = "mean"
	// Median is the middle error, or the mean of the two middle ones.
	Median Stat = "median"
)

// Quantile is the q-quantile of the errors by linear interpolation at position q·(n−1), NumPy's
// default method. Quantile(0.99) leaves the worst hundredth out of account. A q outside [0,1] is
// reported as an error when the statistic is used.
func Quantile(q float64) Stat {
	return Stat("quantile(" + strconv.FormatFloat(q, 'g', -1, 64) + ")")
}

// ParseStat reads the name of a statistic. It also takes Polygraphy's "elemwise", and "quantile"
// alone for Polygraphy's default, quantile(0.99). An unknown name, or a quantile outside [0,1], is
// an error.
func ParseStat(text string) (Stat, error) {
	switch text {
	case "elemwise":
		return Elementwise, nil
	case "quantile":
		return Quantile(0.99), nil
	}
	s := Stat(text)
	if err := s.validate(); err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	if q, ok := s.quantile(); ok {
		return Quantile(q), nil // one spelling for one number
	}
	return s, nil
}

// quantile is q where s is a quantile, and whether it is one. A malformed number gives NaN.
func (s Stat) quantile() (float64, bool) {
	inner, ok := strings.CutPrefix(string(s), "quantile(")
	if !ok {
		return 0, false
	}
	inner, ok = strings.CutSuffix(inner, ")")
	if !ok {
		return 0, false
	}
	q, err := strconv.ParseFloat(inner, 64)
	if err != nil {
		return nan, true
	}
	return q, true
}

func (s Stat) validate() error {
	switch s {
	case Elementwise, Max, Mean, Median:
		return nil
	}
	q, ok := s.quantile()
	if !ok {
		return fmt.Errorf("unknown statistic %q: want elementwise, max, mean, median or "+
			"quantile(q)", string(s))
	}
	if !(q >= 0 && q <= 1) {
		return fmt.Errorf("%s: a quantile lies between 0 and 1", string(s))
	}
	return nil
}
