package compare

import "strconv"

// number prints in the fewest digits that read back, as Go and Python do.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// short prints a measured number with four significant digits, as 0.001234 or 1.234e-05.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// percent prints a fraction with three significant digits, so that no real failure reads 0.0 % and
// none short of all reads 100 %.
func percent(fraction float64) string {
	text := strconv.FormatFloat(100*fraction, 'g', 3, 64)
	if text == "100" && fraction < 1 {
		text = "more than 99.9"
	}
	return text + " %"
}
