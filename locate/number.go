package locate

import (
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/jsonfloat"
)

// Number is a float64 that can be marshalled to JSON even if it is NaN or infinite. Such values
// become strings.
type Number float64

// MarshalJSON writes a finite value as a number, and other values as the strings "NaN", "Infinity"
// or "-Infinity".
func (n Number) MarshalJSON() ([]byte, error) { return jsonfloat.Append(nil, float64(n)), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	return (*jsonfloat.Float)(n).UnmarshalJSON(text)
}

// String formats the number with four significant digits.
func (n Number) String() string { return figures.Short(float64(n)) }

// cell formats the number for a table. NaN and nil become a dash.
func (n *Number) cell() string {
	if n == nil || math.IsNaN(float64(*n)) {
		return "-"
	}
	return n.String()
}
