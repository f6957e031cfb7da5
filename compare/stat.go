package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// Stat names the statistic of the errors that [Within] compares with its tolerances: [Elementwise],
// [Max], [Mean], [Median] or [Quantile].
type Stat string

// The statistics that have no parameter.
const (
	// Elementwise compares the absolute and the relative error of every element with the tolerances.
	Elementwise Stat = "elementwise"
	// Max is the largest absolute and the largest relative error. They may come from different
	// elements, so Max is stricter than Elementwise.
	Max Stat = "max"
	// Mean is the arithmetic mean of the errors, summed in float64.
	Mean Stat = "mean"
	// Median is the middle error, or the mean of the two middle ones.
	Median Stat = "median"
)

// Quantile returns the statistic for the q-quantile of the errors, interpolated linearly at
// position q·(n−1), NumPy's default method. Quantile(0.99) ignores the worst hundredth of the
// errors. A q outside [0,1] is reported as an error when the statistic is used.
func Quantile(q float64) Stat {
	return Stat("quantile(" + strconv.FormatFloat(q, 'g', -1, 64) + ")")
}

// ParseStat reads the name of a statistic. It also accepts Polygraphy's "elemwise", and "quantile"
// for Polygraphy's default, quantile(0.99). It returns an error for an unknown name and for a
// quantile outside [0,1].
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
		return Quantile(q), nil // normalise the spelling of the number
	}
	return s, nil
}

// quantile returns the q of a quantile statistic and true, or false for any other statistic. q is
// NaN if the number is malformed.
func (s Stat) quantile() (float64, bool) {
	inner, opens := strings.CutPrefix(string(s), "quantile(")
	inner, closes := strings.CutSuffix(inner, ")")
	q, err := strconv.ParseFloat(inner, 64)
	if err != nil {
		q = nan
	}
	return q, opens && closes
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
		return fmt.Errorf("%s: a quantile must be between 0 and 1", string(s))
	}
	return nil
}
