package backends

// failure makes Gomega print only the text of an engine's error. Otherwise a failed
// Expect(ort.Run(…)) also prints the fields of every wrapped error.
type failure struct{ error }

// plain wraps an error so that Gomega prints only its text.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Unwrap returns the error itself, for errors.Is and errors.As.
func (f failure) Unwrap() error { return f.error }

// GomegaString returns what Gomega prints below an unexpected error's text instead of its fields.
func (f failure) GomegaString() string { return "an error of an engine" }
