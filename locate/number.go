package locate

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that JSON can hold: NaN and the infinities are strings there.
type Number float64

// MarshalJSON writes a finite number as it is, and "NaN", "Infinity" or "-Infinity".
func (n Number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"NaN"`:
		*n = Number(math.NaN())
	case `"Infinity"`:
		*n = Number(math.Inf(1))
	case `"-Infinity"`:
		*n = Number(math.Inf(-1))
	default:
		var f float64
		if err := json.Unmarshal(text, &f); err != nil {
			return fmt.Errorf("locate: %s is no number: %w", text, err)
		}
		*n = Number(f)
	}
	return nil
}

// String prints four significant digits, enough to read a table by.
func (n Number) String() string { return strconv.FormatFloat(float64(n), 'g', 4, 64) }
