package matchers

import "github.com/modelparity/modelparity/internal/names"

// escaped is an error whose text is made safe to print: it cannot control a terminal or a build
// server that reads the log.
type escaped struct{ error }

func (e escaped) Error() string { return names.Escape(e.error.Error()) }

func (e escaped) Unwrap() error { return e.error }

// escape replaces an error whose text would not be safe to print. Every Match defers it, because
// errors contain names that come from files.
func escape(err *error) {
	if *err != nil && names.Escape((*err).Error()) != (*err).Error() {
		*err = escaped{*err}
	}
}
