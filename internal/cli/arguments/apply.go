package arguments

// Set makes a switch: it sets a field of the request.
func Set[R any](of func(*R) *bool) func(*R, []string) error {
	return func(r *R, _ []string) error { *of(r) = true; return nil }
}

// Text puts the one value of a flag into a field, a later one over an earlier one.
func Text[R any](of func(*R) *string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = values[0]; return nil }
}

// Texts adds all values of a flag to a field.
func Texts[R any](of func(*R) *[]string) func(*R, []string) error {
	return func(r *R, values []string) error { *of(r) = append(*of(r), values...); return nil }
}

// Each reads every value of a flag and puts it into the request.
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
