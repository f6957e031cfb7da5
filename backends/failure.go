package backends

// failure is an error of an engine that Gomega prints as its text alone. Without it a failed
// Expect(ort.Run(…)) ends with the fields of every error that is wrapped in it.
type failure struct{ error }

// plain makes an error print as its text.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Unwrap gives the error itself to errors.Is and errors.As.
func (f failure) Unwrap() error { return f.error }

// GomegaString is what Gomega prints below the text of an unexpected error, in place of its fields.
func (f failure) GomegaString() string { return "an error of an engine" }
