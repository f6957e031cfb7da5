package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/reportfile"
)

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// policy forbids the page everything but its own style and script, and pictures inside it.
func policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; "+
		"base-uri 'none'; form-action 'none'", hash(style), hash(script))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// layout is parsed when a page is written: a program that writes none starts sooner.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(style) }, //nolint:gosec // our own
		"script":  func() template.JS { return template.JS(script) },  //nolint:gosec // our own
		"time":    span,
		"clean":   clean,
		"number":  figures.Short,
		"index":   index,
		"percent": func(c cell) string { return fmt.Sprintf("%d of %d", c.N-c.Failed, c.N) },
	}).Parse(markup))
})

// Write writes the page about the reports in files. Of specs that several reports have, the latest
// is shown, and all make the history. The same reports give the same bytes.
func Write(ctx context.Context, w io.Writer, paths ...string) error {
	reports, err := reportfile.ReadAll(ctx, paths)
	if err != nil {
		return err
	}
	return write(w, reports)
}

// WriteFrom is [Write] about one report that is read from r.
func WriteFrom(w io.Writer, r io.Reader) error {
	report, err := reportfile.Decode(r)
	if err != nil {
		return err
	}
	return write(w, []reportfile.File{report})
}

func write(w io.Writer, reports []reportfile.File) error {
	p, err := build(reports)
	if err != nil {
		return err
	}
	p.Policy = policy()
	var text bytes.Buffer
	if err := layout().Execute(&text, p); err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	_, err = text.WriteTo(w)
	return err
}

// span prints a duration in the unit that fits.
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// escapes are the colours of a terminal.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// longestText is how much of a text is shown.
const longestText = 64 << 10

// clean is a text without what a terminal, or the direction of text, would make of it.
func clean(text string) string {
	cut := len(text) > longestText
	if cut {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, escapes.ReplaceAllString(text, ""))
	if cut {
		text += "\n… (cut here)"
	}
	return text
}

// indented is JSON for a reader.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
