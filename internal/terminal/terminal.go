// Package terminal detects terminals, and formats output for them.
package terminal

import (
	"io"
	"os"
)

// Is reports whether w is a terminal that supports escape sequences. It returns false for files,
// pipes and /dev/null, and if TERM is "dumb".
func Is(w io.Writer) bool {
	file, ok := Raw(w).(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && interactive(file.Fd())
}

// Colourful reports whether output to w should be coloured, that is, whether w is a terminal and
// NO_COLOR is not set (https://no-color.org).
func Colourful(w io.Writer) bool { return Is(w) && os.Getenv("NO_COLOR") == "" }
