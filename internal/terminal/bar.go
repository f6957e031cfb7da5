package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/names"
)

// Bar shows progress on a terminal. If the output is not a terminal, a Bar shows nothing.
type Bar struct {
	to    io.Writer // nil if the output is not a terminal
	drawn time.Time
}

// NewBar returns a progress bar on the current line of the terminal w.
func NewBar(w io.Writer) *Bar {
	if !Is(w) {
		return &Bar{}
	}
	return &Bar{to: Raw(w)}
}

const (
	// often is the shortest time between two updates of the bar. The first and the last update do not
	// wait.
	often = 50 * time.Millisecond
	// clearLine moves the cursor to the beginning of the line and erases the line.
	clearLine = "\r\x1b[K"
)

// Show draws the bar, followed by a text. total is 0 if it is unknown.
func (b *Bar) Show(text string, done, total int) {
	if b.to == nil || done > 0 && done < total && time.Since(b.drawn) < often {
		return
	}
	b.drawn = time.Now()
	const width = 24
	full := min(width*done/max(total, 1), width)
	fmt.Fprintf(b.to, "%s[%s%s] %s", clearLine, strings.Repeat("#", full),
		strings.Repeat("-", width-full), names.Escape(text))
}

// Clear erases the bar.
func (b *Bar) Clear() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.to, clearLine)
	}
}
