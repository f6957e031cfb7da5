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
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// An update writes a summary of its changes to the review folder. It is Markdown for the
// description of a pull request. All processes of a test run append to the summary; the next run
// starts a new one.

// thisRun identifies the test run that this process belongs to.
var thisRun = sync.OnceValue(func() string {
	run := journalFolder()
	if run == "" {
		run = fmt.Sprintf("process %d at %d", os.Getpid(), time.Now().UnixNano())
	}
	sum := sha256.Sum256([]byte(run))
	return fmt.Sprintf("%x", sum[:8])
})

// summarize appends a change to the summary.
func summarize(change Change) error {
	folder, err := goldentree.ReviewFolder(goldentree.Root("."))
	if err != nil {
		return err
	}
	change.Path = fromRoot(change.Path)
	path := filepath.Join(folder, goldentree.SummaryName)
	return locked(folder, func() error {
		mark := "<!-- modelparity " + thisRun() + " -->\n"
		old, err := regular.Read(path)
		text := markdownRows(change)
		if err != nil || !strings.HasPrefix(string(old), mark) {
			return os.WriteFile(path, []byte(mark+markdownHead+text), 0o600)
		}
		return wholefile.Append(path, []byte(text))
	})
}

// Markdown formats changes as a table for a pull request: how much each output changed, whether the
// change is within the spec's tolerance, and the provenance of both runs.
func Markdown(changes []Change) string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, c := range changes {
		b.WriteString(markdownRows(c))
	}
	return b.String()
}

const markdownHead = "### Golden files\n\n" +
	"| golden file | output | max abs | max rel | verdict within the spec's tolerance | made by |\n" +
	"|---|---|---|---|---|---|\n"

// markdownRows returns a change's rows: one for the file, and one per output that changed.
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
	verdict := cell(because(c.Verdict, c.Reason))
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
		extent := figures.Short(m.MaxAbs) + " | " + figures.Short(m.MaxRel)
		if m.Reason != "" {
			extent = cell(m.Reason) + " | "
		}
		fmt.Fprintf(&b, "| | %s | %s | %s | |\n", cell(m.name(c.numbered())), extent,
			cell(because(m.Verdict, m.Fails)))
	}
	return b.String()
}

// cell escapes a text for use in a table cell.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;", "\\", "\\\\", "`", "\\`",
		"*", "\\*", "_", "\\_").Replace(names.Line(oneLine(text)))
}
