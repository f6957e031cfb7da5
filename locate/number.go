package locate

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/jsonfloat"
)

// Number is a float64 that JSON can hold: NaN and the infinities are strings there.
type Number float64

// MarshalJSON writes a finite number as it is, and "NaN", "Infinity" or "-Infinity".
func (n Number) MarshalJSON() ([]byte, error) { return jsonfloat.Append(nil, float64(n)), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	if err := (*jsonfloat.Float)(n).UnmarshalJSON(text); err != nil {
		return fmt.Errorf("locate: %w", err)
	}
	return nil
}

// String prints four significant digits, enough to read a table by.
func (n Number) String() string { return figures.Short(float64(n)) }

// cell is the number in a table, and a dash where there is none.
func (n Number) cell() string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return n.String()
}
