package matchers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// Rewrite is a golden file that was rewritten.
type Rewrite struct {
	Golden string   // its path
	Moved  []string // how far its outputs moved, one line each; or that it is new
}

// Rewritten lists the golden files that this process has rewritten so far, in order. Package report
// makes report entries of it; a plain test can log it.
func Rewritten() []Rewrite {
	rewrites.Lock()
	defer rewrites.Unlock()
	return slices.Clone(rewrites.all)
}

// rewrites is kept per process, because a matcher knows neither the test it runs in nor Ginkgo.
// Nothing reads it to decide anything.
var rewrites struct {
	sync.Mutex
	all []Rewrite
}

// noticeTo is where people are told at once, whatever runs the tests.
var noticeTo io.Writer = os.Stderr

// announce tells of a rewritten file in one write, so that parallel tests do not mix their lines.
func announce(r Rewrite) {
	rewrites.Lock()
	defer rewrites.Unlock()
	rewrites.all = append(rewrites.all, r)
	fmt.Fprintln(noticeTo, strings.Join(
		append([]string{"golden rewritten: " + r.Golden}, r.Moved...), "\n    "))
}
