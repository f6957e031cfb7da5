package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bar shows on a terminal how far something is; elsewhere it shows nothing.
type Bar struct {
	to    io.Writer // nil where nobody looks
	drawn time.Time
	wide  int // columns of what stands there
}

// NewBar is a bar on w, in the last line of the terminal.
func NewBar(w io.Writer) *Bar {
	if !Is(w) {
		w = nil
	}
	return &Bar{to: w}
}

// often is how long a bar stays as it is at least.
const often = 50 * time.Millisecond

// Show draws how much is done.
func (b *Bar) Show(label string, done, all int) {
	if b.to == nil || all <= 0 || done < all && time.Since(b.drawn) < often {
		return
	}
	b.drawn = time.Now()
	const width = 30
	full := min(width*done/all, width)
	text := fmt.Sprintf("%s [%s%s] %d of %d", label, strings.Repeat("=", full),
		strings.Repeat(" ", width-full), done, all)
	fmt.Fprintf(b.to, "\r%-*s", b.wide, text)
	b.wide = max(b.wide, len(text))
}

// Clear leaves the line empty.
func (b *Bar) Clear() {
	if b.to != nil && b.wide > 0 {
		fmt.Fprintf(b.to, "\r%s\r", strings.Repeat(" ", b.wide))
		b.wide = 0
	}
}
