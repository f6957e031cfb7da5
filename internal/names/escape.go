package names

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line formats a name from a file, or text with such names, for one line of output. It is like
// [Escape], but replaces line breaks too, so that a name cannot look like a separate line.
func Line(name string) string { return Escape(strings.ReplaceAll(name, "\n", `\n`)) }

// commands matches the commands of build servers: GitHub's and TeamCity's at the start of a line,
// GitHub's old commands and Azure's anywhere.
var commands = regexp.MustCompile(`(?m)^[\s\p{Z}]*::|##[A-Za-z]*\[`)

// Escape replaces control characters, invisible characters and invalid UTF-8 with escape sequences
// as in JSON. Build servers run certain lines as commands, such as "::error"; of these, Escape also
// replaces the first character. It keeps line breaks and tabs.
func Escape(text string) string {
	text = commands.ReplaceAllStringFunc(text, func(found string) string {
		at := strings.IndexAny(found, ":#")
		return found[:at] + fmt.Sprintf(`\u%04x`, found[at]) + found[at+1:]
	})
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unprintable(r):
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

func unprintable(r rune) bool {
	return r == utf8.RuneError || r != '\n' && r != '\t' &&
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// ASCII escapes all non-ASCII characters in a JSON text. They can only occur in strings. Polygraphy
// opens files in its locale's encoding, which may not be UTF-8.
func ASCII(text []byte) string {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return string(out)
}
