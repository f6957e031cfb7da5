package enginetest

import (
	"fmt"
	"sync"
)

var absent sync.Map

// Has reports whether an engine is available, for tests that check less without it; missing is what
// its Available returned. When an engine is missing for the first time, it prints a line for
// .ci/skipped, which runs the package again.
func Has(engine string, missing error) bool {
	if missing == nil {
		return true
	}
	if _, said := absent.LoadOrStore(engine, true); !said {
		fmt.Printf("\nmodelparity: specs do less without %s\n", engine)
	}
	return false
}
