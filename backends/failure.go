package backends

// failure makes Gomega print an engine's error as its text alone. Otherwise a failed
// Expect(ort.Run(…)) also prints the fields of every wrapped error.
type failure struct{ error }

// plain makes an error print as its text.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Unwrap returns the error itself, for errors.Is and errors.As.
func (f failure) Unwrap() error { return f.error }

// GomegaString is what Gomega prints below the text of an unexpected error, instead of its fields.
func (f failure) GomegaString() string { return "an error of an engine" }
