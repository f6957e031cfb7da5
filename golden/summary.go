package golden

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/regular"
)

// An update leaves a summary of what it wrote beside the reviews of its tree: Markdown, for the
// pull request that the golden files go into. All processes of one run of the tests add to it; the
// next run begins it again.

// summaryName is its file.
const summaryName = "summary.md"

// Summary is the path of the summary that the last update of this tree left, "" where there is no
// place for one. It may not exist.
func Summary() string {
	folder, err := reviewFolder(tree("."))
	if err != nil {
		return ""
	}
	return filepath.Join(folder, summaryName)
}

// thisRun names the run of the tests that this process belongs to.
var thisRun = sync.OnceValue(func() string {
	run := journalFolder()
	if run == "" {
		run = fmt.Sprintf("process %d at %d", os.Getpid(), time.Now().UnixNano())
	}
	sum := sha256.Sum256([]byte(run))
	return fmt.Sprintf("%x", sum[:8])
})

// summarize adds a change to the summary, and gives its path.
func summarize(change Change) (path string, err error) {
	root := tree(".")
	folder, err := reviewFolder(root)
	if err != nil {
		return "", err
	}
	change.Path = fromRoot(change.Path)
	path = filepath.Join(folder, summaryName)
	return path, locked(folder, func() error {
		mark := "<!-- modelparity " + thisRun() + " -->\n"
		old, err := regular.Read(path)
		text := markdownRows(change)
		if err != nil || !strings.HasPrefix(string(old), mark) {
			return os.WriteFile(path, []byte(mark+markdownHead+text), 0o600)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return err
	})
}

// Markdown is a table of changes, fit for a pull request: for each output how far it moved, and for
// each file what its spec's own tolerance says and what made the old run and the new one.
func Markdown(changes []Change) string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, c := range changes {
		b.WriteString(markdownRows(c))
	}
	return b.String()
}

const markdownHead = "### Golden files\n\n" +
	"| golden file | output | max abs | max rel | by its own tolerance | made by |\n" +
	"|---|---|---|---|---|---|\n"

// markdownRows is the rows of one change: one for the file, and one for each output that moved.
func markdownRows(c Change) string {
	var b strings.Builder
	var made []string
	for _, row := range c.provenance() {
		text := row.text
		if row.word != "made by" {
			text = row.word + " " + text
		}
		made = append(made, cell(text))
	}
	verdict := cell(c.verdict())
	if c.Tolerance != "" {
		verdict = strings.TrimSpace(verdict + " (" + cell(c.Tolerance) + ")")
	}
	note := c.what()
	if c.Damage != "" {
		note += ", the old file could not be read: " + cell(c.Damage)
	}
	fmt.Fprintf(&b, "| `%s` | %s | | | %s | %s |\n", strings.ReplaceAll(cell(c.Path), "`", "'"), note,
		verdict, strings.Join(made, "<br>"))
	for _, m := range c.Moved {
		if m.Reason == "" && m.MaxAbs == 0 {
			continue
		}
		far := figures.Short(m.MaxAbs) + " | " + figures.Short(m.MaxRel)
		if m.Reason != "" {
			far = cell(m.Reason) + " | "
		}
		verdict := string(m.Verdict)
		if m.Fails != "" {
			verdict += ": " + m.Fails
		}
		fmt.Fprintf(&b, "| | %s | %s | %s | |\n", cell(m.name(c.iterations() > 1)), far, cell(verdict))
	}
	return b.String()
}

// cell keeps a text inside its cell of a table, as text.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "\\", "\\\\", "`", "\\`",
		"*", "\\*", "_", "\\_").Replace(oneLine(text))
}
