package matchers

import "io"

// NoticeTo sends notices of written golden files elsewhere, until the returned function is called.
func NoticeTo(w io.Writer) (restore func()) {
	before := noticeTo
	noticeTo = w
	return func() { noticeTo = before }
}
