package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

// Updated lists, oldest first, what updates did to golden files in this process, or would do: files
// that are written, and files that are kept although outputs moved. Package report/ginkgoreport
// turns it into report entries; a plain test can log it.
func Updated() []golden.Change {
	updated.Lock()
	defer updated.Unlock()
	return slices.Clone(updated.changes)
}

// updated is kept per process, because a matcher knows neither the test it runs in nor Ginkgo.
// Nothing reads it to decide anything.
var updated struct {
	sync.Mutex
	changes []golden.Change
	told    bool // where the summary is
}

// announceTo is standard error, so that people see updates whatever runs the tests.
var announceTo io.Writer = os.Stderr

// Announce prints what an update did on standard error and lists it in [Updated]. Whatever ends a
// spec for package golden calls it. It ignores changes that are not [golden.Change.Notable].
func Announce(change golden.Change) {
	if !change.Notable() {
		return
	}
	updated.Lock()
	defer updated.Unlock()
	updated.changes = append(updated.changes, change)
	// Under the lock, so that parallel tests do not mix their lines.
	if change.Proposed {
		fmt.Fprint(announceTo, change.Text())
		return
	}
	fmt.Fprintln(announceTo, change)
	if change.Unsummarized != "" {
		fmt.Fprintln(announceTo, "golden: no summary for a pull request: "+change.Unsummarized)
	} else if path := goldentree.Summary(); change.Wrote() && !updated.told {
		updated.told = true
		fmt.Fprintln(announceTo, "golden: summary for a pull request: "+path)
	}
}

// say prints one line where updates are announced.
func say(text string) {
	updated.Lock()
	defer updated.Unlock()
	fmt.Fprintln(announceTo, text)
}
