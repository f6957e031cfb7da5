package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/names"
)

// Updated returns, oldest first, the changes to golden files that updates in this process have made
// or proposed. If outputs changed but are still within the spec's tolerance, an update keeps the
// file. Updated lists these files too.
// Package report/ginkgoreport turns the list into report entries; a plain test can log it.
func Updated() []golden.Change {
	updated.Lock()
	defer updated.Unlock()
	return slices.Clone(updated.changes)
}

// updated is the list that [Updated] returns. It is global, because a matcher does not know in
// which test it runs. It is only printed and affects no verdict.
var updated struct {
	sync.Mutex
	changes []golden.Change
	told    bool // whether the path of the summary was printed
}

// announceTo receives the messages about golden files. Tests of this package replace it.
var announceTo io.Writer = os.Stderr

// Announce prints a change to a golden file on standard error, and adds the change to the list that
// [Updated] returns. When a spec has ended, call Announce for each change that
// [golden.Spec.End] returned. Announce ignores changes that are not [golden.Change.Notable].
func Announce(change golden.Change) {
	if !change.Notable() {
		return
	}
	updated.Lock()
	defer updated.Unlock()
	updated.changes = append(updated.changes, change)
	// The lock is held while printing, so that parallel tests do not mix their lines.
	if change.Proposed {
		fmt.Fprint(announceTo, change.Text())
		return
	}
	fmt.Fprintln(announceTo, change)
	if path := goldentree.Summary(); path != "" && change.Wrote() && !updated.told {
		updated.told = true
		fmt.Fprintln(announceTo, "golden: summary for a pull request: "+path)
	}
}

// say prints one line to announceTo.
func say(text string) {
	updated.Lock()
	defer updated.Unlock()
	fmt.Fprintln(announceTo, names.Escape(text))
}
