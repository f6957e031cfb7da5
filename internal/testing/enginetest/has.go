package enginetest

import (
	"fmt"
	"sync"
)

var absent sync.Map

// Has reports whether a test that can do without an engine has it; missing is what its Available
// returned. The first time that it has not, .ci/skipped is told, which has the package run again.
func Has(engine string, missing error) bool {
	if missing == nil {
		return true
	}
	if _, said := absent.LoadOrStore(engine, true); !said {
		fmt.Printf("\nmodelparity: specs do less without %s\n", engine)
	}
	return false
}
