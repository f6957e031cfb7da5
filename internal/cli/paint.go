package cli

import (
	"io"
	"regexp"

	"github.com/modelparity/modelparity/internal/terminal"
	"github.com/modelparity/modelparity/locate"
)

// paints lists words that are coloured if they begin a line. start is the escape sequence that
// turns the colour on.
var paints = []struct {
	words *regexp.Regexp
	start string
}{
	{regexp.MustCompile(`(?m)^(?:FAILED|FAIL|incomplete:|→)`), "\x1b[1;31m"}, // bold red
	{regexp.MustCompile(`(?m)^(?:PASSED|pass)\b`), "\x1b[32m"},               // green
	{regexp.MustCompile(`(?m)^note:`), "\x1b[33m"},                           // yellow
}

// paint returns the text in colour: the words that [paints] lists get their colours.
func paint(text string) string {
	for _, p := range paints {
		text = p.words.ReplaceAllString(text, p.start+"$0\x1b[0m")
	}
	return text
}

// bar returns two functions: tell shows the progress of a search on a terminal, and wipe erases it.
// If the writer is not a terminal, tell is nil.
func bar(to io.Writer) (tell func(locate.Progress), wipe func()) {
	if !terminal.Is(to) {
		return nil, func() {}
	}
	b := terminal.NewBar(to)
	return func(p locate.Progress) { b.Show(p.String(), p.Done, p.Of) }, b.Clear
}
