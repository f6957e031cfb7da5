package enginetest

import (
	"fmt"
	"sync"
)

var absent sync.Map

// Has reports whether an engine is available, for tests that skip some checks without it. missing
// is the error that the engine's Available returned. The first time that an engine is missing, Has
// prints a line, from which .ci/skipped learns that the package must run again.
func Has(engine string, missing error) bool {
	if missing == nil {
		return true
	}
	if _, said := absent.LoadOrStore(engine, true); !said {
		fmt.Printf("\nmodelparity: specs skip some checks without %s\n", engine)
	}
	return false
}
