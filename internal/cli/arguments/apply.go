package arguments

import "github.com/modelparity/modelparity/internal/values"

// AtLeast returns a function that parses an integer and rejects integers below minimum.
func AtLeast(minimum int) func(text string) (int, error) {
	return func(text string) (int, error) { return values.Count(text, minimum) }
}

// Set returns the Apply function for a switch, a flag without values. It sets a field to true.
func Set(field *bool) func([]string) error {
	return func([]string) error { *field = true; return nil }
}

// Adding returns the Apply function for a switch that adds an option to a field.
func Adding[O any](option func() O, field *[]O) func([]string) error {
	return func([]string) error { *field = append(*field, option()); return nil }
}

// Count returns a function that parses an integer, rejects integers below minimum, and passes the
// integer to option.
func Count[O any](minimum int, option func(int) O) func(text string) (O, error) {
	return func(text string) (O, error) {
		n, err := values.Count(text, minimum)
		return option(n), err
	}
}

// Text returns the Apply function for a flag with one value. It sets a field to the value; if the
// flag is repeated, the last value counts.
func Text(field *string) func([]string) error {
	return func(values []string) error { *field = values[0]; return nil }
}

// Texts returns the Apply function for a flag with several values. It appends all values to a
// field.
func Texts(field *[]string) func([]string) error {
	return func(values []string) error { *field = append(*field, values...); return nil }
}

// Value returns an Apply function that parses each value with read and sets a field to the last
// result.
func Value[V any](read func(string) (V, error), field *V) func([]string) error {
	return Each(read, func(value V) { *field = value })
}

// Values returns an Apply function that parses each value with read and appends the result to a
// field.
func Values[V any](read func(string) (V, error), field *[]V) func([]string) error {
	return Each(read, func(value V) { *field = append(*field, value) })
}

// Each returns an Apply function that parses each value with read and passes the result to put.
func Each[V any](read func(string) (V, error), put func(V)) func([]string) error {
	return func(values []string) error {
		for _, text := range values {
			value, err := read(text)
			if err != nil {
				return err
			}
			put(value)
		}
		return nil
	}
}
