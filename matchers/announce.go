package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/golden"
)

// Updated lists what updates did to golden files in this process so far, in order: files that were
// written, and those that were kept although outputs moved. Package report/ginkgoreport makes
// report entries of it; a plain test can log it.
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

// announceTo is where people are told at once, whatever runs the tests.
var announceTo io.Writer = os.Stderr

// Announce tells people of what an update did, on standard error, and lists it in [Updated]. Those
// who end a spec for package golden call it; what is not worth a word is passed over.
func Announce(change golden.Change) {
	if !change.Notable() {
		return
	}
	updated.Lock()
	defer updated.Unlock()
	updated.changes = append(updated.changes, change)
	fmt.Fprintln(announceTo, change) // under the lock, so that parallel tests do not mix their lines
}

// say tells people a line at once.
func say(text string) {
	updated.Lock()
	defer updated.Unlock()
	fmt.Fprintln(announceTo, text)
}
