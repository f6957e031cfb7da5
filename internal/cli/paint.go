package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/terminal"
	"github.com/modelparity/modelparity/locate"
)

// colour says when to print colours.
type colour string

// The values of colour. With coloursByTerminal, the default, colours are printed if the output is a
// terminal and NO_COLOR is not set.
const (
	coloursByTerminal colour = ""
	coloursAlways     colour = "always"
	coloursNever      colour = "never"
)

// on reports whether text printed to the writer should be coloured.
func (c colour) on(to io.Writer) bool {
	return c == coloursAlways || c == coloursByTerminal && terminal.Colourful(to)
}

// paints lists the words that are coloured at the beginning of a line, with their escape sequences.
var paints = []struct {
	words *regexp.Regexp
	start string
}{
	{regexp.MustCompile(`(?m)^(?:FAILED|FAIL|incomplete:|→)`), "\x1b[1;31m"}, // bold red
	{regexp.MustCompile(`(?m)^(?:PASSED|pass)\b`), "\x1b[32m"},               // green
	{regexp.MustCompile(`(?m)^note:`), "\x1b[33m"},                           // yellow
}

// paint colours the words in a text.
func paint(text string) string {
	for _, p := range paints {
		text = p.words.ReplaceAllString(text, p.start+"$0\x1b[0m")
	}
	return text
}

// barWidth is the width of a progress bar in characters.
const barWidth = 24

// clearLine moves the cursor to the beginning of the line and erases the line.
const clearLine = "\r\x1b[K"

// bar returns two functions: tell shows the progress of a search, and wipe erases it. If to is not
// a terminal, tell is nil.
func bar(to io.Writer) (tell func(locate.Progress), wipe func()) {
	if !terminal.Is(to) {
		return nil, func() {}
	}
	to = terminal.Raw(to)
	return func(p locate.Progress) { fmt.Fprint(to, clearLine+names.Escape(barText(p))) },
		func() { fmt.Fprint(to, clearLine) }
}

// barText returns the text of the progress bar, including the current activity.
func barText(p locate.Progress) string {
	full := 0
	if p.Of > 0 {
		full = barWidth * p.Done / p.Of
	}
	return fmt.Sprintf("[%s%s] %v", strings.Repeat("#", full), strings.Repeat("-", barWidth-full), p)
}
