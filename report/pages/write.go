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

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
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

// policy returns the content security policy, which permits only the page's own style and script
// and embedded pictures.
func policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; "+
		"base-uri 'none'; form-action 'none'", hash(style), hash(script))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// layout is parsed on first use, so that programs that do not write a page start faster.
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

// Write reads reports from the files at paths, and writes one page for all of them to w. If a spec
// occurs in several reports, the page shows the spec's latest result, and lists all results in the
// spec's history. The same reports produce the same bytes.
func Write(ctx context.Context, w io.Writer, paths ...string) error {
	reports, err := reportfile.ReadAll(ctx, paths)
	if err != nil {
		return err
	}
	return write(w, "", reports)
}

// WriteFrom is like [Write], for a single report read from r. The page may contain pictures in
// folder or below it. If folder is "", it is the working directory.
func WriteFrom(w io.Writer, folder string, r io.Reader) error {
	report, err := reportfile.Decode(r)
	if err != nil {
		return err
	}
	return write(w, folder, []reportfile.File{report})
}

func write(w io.Writer, folder string, reports []reportfile.File) error {
	p, err := build(folder, reports)
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

// span formats a duration in a suitable unit.
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

// escapes matches a terminal's colour codes.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// longestText is the maximum length of a text on the page, in bytes.
const longestText = 64 << 10

// clean removes a terminal's colour codes from a text, escapes other control characters, and
// truncates the text.
func clean(text string) string {
	cut := len(text) > longestText
	if cut {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	text = names.Escape(escapes.ReplaceAllString(text, ""))
	if cut {
		text += "\n… (cut here)"
	}
	return text
}

// indented formats JSON for reading.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
