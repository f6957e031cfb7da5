// Package figures prints numbers and tables, the same wherever a reader meets them.
package figures

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Exact prints in the fewest digits that read back, as Go and Python do.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Short prints a measured number with four significant digits, as 0.001234 or 1.234e-05, and with
// more just below 1, so that a share short of all does not read as 1.
func Short(v float64) string { return strconv.FormatFloat(v, 'g', max(4, nines(v)+2), 64) }

// Percent prints a fraction with three significant digits and, as [Short] does, with more just
// below 1, so that no real failure reads 0 % and none short of all reads 100 %.
func Percent(fraction float64) string {
	return strconv.FormatFloat(100*fraction, 'g', max(3, nines(fraction)+2), 64) + " %"
}

// DefaultFalseAlarm stands for a probability of false alarm that is not set.
const DefaultFalseAlarm = 1e-4

// FalseAlarm says how often a comparison fails by chance; 0 is the default probability.
func FalseAlarm(probability float64) string {
	return fmt.Sprintf("a false alarm once in %.0f", 1/cmp.Or(probability, DefaultFalseAlarm))
}

// nines is how many nines begin the decimals of a fraction below 1, as far as roundings leave them.
func nines(v float64) int {
	if v < 0.99 || v >= 1 {
		return 0
	}
	return min(int(-math.Log10(1-v)), 9)
}

// Pad widens the cells of each column to the column's width.
func Pad(table [][]string) {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		for i, cell := range row {
			row[i] += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		}
	}
}

// Table is the rows as lines, with two spaces between columns. It pads the cells in place.
func Table(table [][]string) []string {
	Pad(table)
	lines := make([]string, len(table))
	for i, row := range table {
		lines[i] = strings.TrimRight(strings.Join(row, "  "), " ")
	}
	return lines
}
