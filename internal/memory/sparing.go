package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// garbage is the GOGC percentage: half of Go's default, because models and tensors are large, but
// little of their memory is garbage.
const garbage = 50

// atFirst is the percentage until the first collection, which then happens at 8 MB instead of 2:
// most commands end before that, and collecting took a tenth of their time.
const atFirst = 200

// Sparing makes the process collect garbage earlier than Go does, but not immediately. GOGC in the
// environment takes precedence.
func Sparing() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(atFirst)
		runtime.AddCleanup(new([2]*int), func(percent int) { debug.SetGCPercent(percent) }, garbage)
	}
}
