package arguments

// Set returns the Apply function of a switch, which sets a field of the request.
func Set[R any](of func(*R) *bool) func(*R, []string) error {
	return func(r *R, _ []string) error { *of(r) = true; return nil }
}

// Text returns the Apply function of a flag with one value, which sets a field. The last value
// counts.
func Text[R any](of func(*R) *string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = values[0]; return nil }
}

// Texts returns an Apply function that appends all values to a field.
func Texts[R any](of func(*R) *[]string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = append(*of(r), values...); return nil }
}

// Each returns an Apply function that parses each value and puts it into the request.
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
