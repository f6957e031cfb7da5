package matchers

import "io"

// AnnounceTo sends what is said of golden files elsewhere, until the returned function is called.
func AnnounceTo(w io.Writer) (restore func()) {
	before := announceTo
	announceTo = w
	return func() { announceTo = before }
}
