// Package terminal tells whether somebody looks at what a program prints.
package terminal

import (
	"io"
	"os"
)

// Is reports whether w is a terminal that understands escape sequences. Files, pipes and
// /dev/null are not, and neither is a terminal whose TERM is dumb.
func Is(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && interactive(file.Fd())
}

// Colourful reports whether colours are wanted on w: it is a terminal, and NO_COLOR is not set
// (https://no-color.org).
func Colourful(w io.Writer) bool { return Is(w) && os.Getenv("NO_COLOR") == "" }
