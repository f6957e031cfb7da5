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
	wide  int // width in columns of the text shown last
}

// NewBar returns a bar in the current line of the terminal w.
func NewBar(w io.Writer) *Bar {
	if !Is(w) {
		return &Bar{}
	}
	return &Bar{to: Raw(w)}
}

// often is the minimum time between two updates of a bar.
const often = 50 * time.Millisecond

// Show draws the bar of a task that has completed done of its steps; all is the number of steps.
func (b *Bar) Show(label string, done, all int) {
	if b.to == nil || all <= 0 || done < all && time.Since(b.drawn) < often {
		return
	}
	b.drawn = time.Now()
	const width = 30
	full := min(width*done/all, width)
	text := fmt.Sprintf("%s [%s%s] %d of %d", names.Escape(label), strings.Repeat("=", full),
		strings.Repeat(" ", width-full), done, all)
	fmt.Fprintf(b.to, "\r%-*s", b.wide, text)
	b.wide = max(b.wide, len(text))
}

// Clear clears the bar's line.
func (b *Bar) Clear() {
	if b.to != nil && b.wide > 0 {
		fmt.Fprintf(b.to, "\r%s\r", strings.Repeat(" ", b.wide))
		b.wide = 0
	}
}
