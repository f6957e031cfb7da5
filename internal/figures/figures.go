// Package figures formats numbers and tables, so that they look the same in all of modelparity's
// output.
package figures

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Exact formats v with the fewest digits that read back as v, like Go and Python.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Short formats a measured number with four significant digits, as in 0.001234 or 1.234e-05. For
// numbers just below 1, it uses more digits, so that 0.99999 does not become 1.
func Short(v float64) string { return strconv.FormatFloat(v, 'g', max(4, nines(v)+2), 64) }

// Percent formats a fraction with three significant digits. Like [Short], it uses more digits for
// fractions just below 1, so that they do not become 100 %.
func Percent(fraction float64) string {
	return strconv.FormatFloat(100*fraction, 'g', max(3, nines(fraction)+2), 64) + " %"
}

// Worse reports whether error a is worse than error b. NaN is worst, then infinity; of two finite
// numbers, the larger is worse.
func Worse(a, b float64) bool {
	if a != a || b != b {
		return a != a && b == b
	}
	return a > b
}

// DefaultFalseAlarm is the default probability of a false alarm.
const DefaultFalseAlarm = 1e-4

// FalseAlarm says how often a comparison fails by chance. A probability of 0 means the default.
func FalseAlarm(probability float64) string {
	return fmt.Sprintf("one false alarm in %.15g comparisons",
		math.Round(1/cmp.Or(probability, DefaultFalseAlarm)))
}

// nines returns how many nines directly follow the decimal point in a fraction below 1, ignoring
// rounding errors.
func nines(v float64) int {
	if v < 0.99 || v >= 1 {
		return 0
	}
	return min(int(-math.Log10(1-v)), 9)
}

// widest is the maximum width of a column. A longer cell, such as a name of 300 characters, shifts
// only the rest of its own row.
const widest = 64

// Pad pads the cells of each column to the same width. It leaves cells that are longer than 64
// characters as they are.
func Pad(table [][]string) {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := utf8.RuneCountInString(cell); n <= widest {
				widths[i] = max(widths[i], n)
			}
		}
	}
	for _, row := range table {
		for i, cell := range row {
			row[i] += strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell)))
		}
	}
}

// Table returns the rows as lines, with two spaces between columns. It pads the cells in place.
func Table(table [][]string) []string {
	Pad(table)
	lines := make([]string, len(table))
	for i, row := range table {
		lines[i] = strings.TrimRight(strings.Join(row, "  "), " ")
	}
	return lines
}
