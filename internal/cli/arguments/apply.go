package arguments

// Set returns the Apply function for a switch. It sets a boolean field of the request.
func Set[R any](of func(*R) *bool) func(*R, []string) error {
	return func(r *R, _ []string) error { *of(r) = true; return nil }
}

// Text returns the Apply function for a flag with one value. It sets a field to the value; if the
// flag is repeated, the last value counts.
func Text[R any](of func(*R) *string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = values[0]; return nil }
}

// Texts returns the Apply function for a flag with several values. It appends all values to a
// field.
func Texts[R any](of func(*R) *[]string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = append(*of(r), values...); return nil }
}

// Each returns an Apply function that parses each value with read and passes the result to put.
func Each[R, V any](read func(string) (V, error), put func(*R, V)) func(*R, []string) error {
	return func(r *R, values []string) error {
		for _, text := range values {
			value, err := read(text)
			if err != nil {
				return err
			}
			put(r, value)
		}
		return nil
	}
}
