package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/golden"
)

// Rewritten lists the golden files that this process has written so far, in order. Package report
// makes report entries of it; a plain test can log it.
func Rewritten() []golden.Change {
	written.Lock()
	defer written.Unlock()
	return slices.Clone(written.changes)
}

// written is kept per process, because a matcher knows neither the test it runs in nor Ginkgo.
// Nothing reads it to decide anything.
var written struct {
	sync.Mutex
	changes []golden.Change
}

// noticeTo is where people are told at once, whatever runs the tests.
var noticeTo io.Writer = os.Stderr

// announce tells of a written file.
func announce(change golden.Change) {
	written.Lock()
	defer written.Unlock()
	written.changes = append(written.changes, change)
	fmt.Fprintln(noticeTo, change) // under the lock, so that parallel tests do not mix their lines
}
