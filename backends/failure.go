package backends

import (
	"errors"

	"github.com/modelparity/modelparity/internal/names"
)

// failure wraps an engine's error so that Gomega prints only the error's text. Without it, a failed
// Expect(ort.Run(…)) also prints the fields of every wrapped error.
type failure struct{ error }

// plain wraps an error so that Gomega prints only its text.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Error returns the text of the engine's error. Control characters, which names in a model may
// contain, are escaped.
func (f failure) Error() string { return names.Escape(f.error.Error()) }

// Unwrap returns the engine's error, so that errors.Is and errors.As find it.
func (f failure) Unwrap() error { return f.error }

// GomegaString returns the line that Gomega prints below the text of an unexpected error, instead
// of the error's fields. If it returned the error's text, Gomega would print that text twice.
func (f failure) GomegaString() string {
	if missing := new(Missing); errors.As(f.error, &missing) {
		return "to skip the spec instead, call the Require function of the engine's package first"
	}
	return "an engine error"
}
