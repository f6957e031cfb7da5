// Package jsonfloat encodes float64 as JSON. JSON has no NaN and no infinities, so these become the
// strings "NaN", "Infinity" and "-Infinity" in all of modelparity's files and reports.
// encoding/json returns an error for NaN, so a single NaN in a Ginkgo report entry would otherwise
// lose the report of the whole suite.
package jsonfloat

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Float is a float64 that can be encoded as JSON even if it is NaN or infinite.
type Float float64

// MarshalJSON writes the shortest text that reads back as the same number.
func (f Float) MarshalJSON() ([]byte, error) { return Append(nil, float64(f)), nil }

// UnmarshalJSON reads the output of MarshalJSON.
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
