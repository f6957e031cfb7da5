package terminal

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escaped is a writer that applies [Escape] to whole lines. Names in files may contain sequences
// that control a terminal, or commands of a build server that reads the log.
type Escaped struct {
	mu   sync.Mutex
	to   io.Writer
	line []byte // the line that has not ended yet
	err  error
}

// NewEscaped returns an Escaped that writes to w.
func NewEscaped(w io.Writer) *Escaped { return &Escaped{to: w} }

// Write writes the lines that p completes.
func (e *Escaped) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.line = append(e.line, p...)
	if end := bytes.LastIndexByte(e.line, '\n') + 1; end > 0 {
		e.print(end)
	}
	return len(p), e.err
}

// Flush writes a last line without an end, and returns the first error of all writes.
func (e *Escaped) Flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.print(len(e.line))
	return e.err
}

func (e *Escaped) print(n int) {
	_, err := io.WriteString(e.to, Escape(string(e.line[:n])))
	if e.line = append(e.line[:0], e.line[n:]...); e.err == nil {
		e.err = err
	}
}

// Raw returns the writer to which w writes, for modelparity's own escape sequences.
func Raw(w io.Writer) io.Writer {
	if e, ok := w.(*Escaped); ok {
		return e.to
	}
	return w
}

// commands matches the commands of build servers: GitHub's and TeamCity's at the start of a line,
// GitHub's old commands and Azure's anywhere.
var commands = regexp.MustCompile(`(?m)^[\s\p{Z}]*::|##[A-Za-z]*\[`)

// Escape replaces control characters, invisible characters, invalid UTF-8, and the beginnings of
// build servers' commands with escape sequences as in JSON. It keeps line breaks and tabs.
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
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
