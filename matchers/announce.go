package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/golden"
)

// Updated lists, oldest first, what updates did to golden files in this process: files that were
// written, and files that were kept although outputs moved. Package report/ginkgoreport turns it
// into report entries; a plain test can log it.
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
	fmt.Fprintln(announceTo, change) // under the lock, so that parallel tests do not mix their lines
}

// say prints one line where updates are announced.
func say(text string) {
	updated.Lock()
	defer updated.Unlock()
	fmt.Fprintln(announceTo, text)
}
