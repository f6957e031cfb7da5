// Package jsonfloat writes float64 as JSON, which has no NaN and no infinities: those become the
// strings "NaN", "Infinity" and "-Infinity". Every file and report of modelparity has numbers of
// this form. A report entry of Ginkgo that could not be marshalled would lose the whole suite's
// report.
package jsonfloat

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Float is a float64 in JSON.
type Float float64

// MarshalJSON writes the number in the fewest digits that read back.
func (f Float) MarshalJSON() ([]byte, error) { return Append(nil, float64(f)), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Float) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"NaN"`:
		*f = Float(math.NaN())
	case `"Infinity"`:
		*f = Float(math.Inf(1))
	case `"-Infinity"`:
		*f = Float(math.Inf(-1))
	default:
		var v float64
		if err := json.Unmarshal(text, &v); err != nil {
			return fmt.Errorf("%.40q is not a number, \"NaN\", \"Infinity\" or \"-Infinity\": %w",
				text, err)
		}
		*f = Float(v)
	}
	return nil
}

// Append appends v as JSON.
func Append(text []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(text, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(text, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(text, `"-Infinity"`...)
	}
	return strconv.AppendFloat(text, v, 'g', -1, 64)
}
