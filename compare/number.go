package compare

import (
	"math"
	"strconv"
	"strings"
)

// short prints a measured number with four significant digits, as 0.001234 or 1.234e-05.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// percent prints a fraction with three significant digits, so that no real failure reads 0.0 % and
// none short of all reads 100 %.
func percent(fraction float64) string {
	value := 100 * fraction
	text := strconv.FormatFloat(value, 'g', 3, 64)
	if text == "100" && fraction < 1 {
		text = "99.9…"
	}
	if strings.Contains(text, "e+") || value != 0 && math.Abs(value) >= 1e-4 {
		text = strconv.FormatFloat(round(value, 3), 'f', -1, 64)
		if text == "100" && fraction < 1 {
			text = "more than 99.9"
		}
	}
	return text + " %"
}

func round(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return rounded
}
