package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// garbage is the GC percentage (GOGC). It is half of Go's default, because models and tensors take
// much memory, of which little is garbage.
const garbage = 50

// atFirst is the GC percentage until the first garbage collection, which then happens at 8 MB
// instead of 2 MB: most commands end before that, and garbage collection took a tenth of their
// time.
const atFirst = 200

// Sparing makes the process collect garbage earlier than Go would, but not at the very start. If
// the environment sets GOGC, Sparing changes nothing.
func Sparing() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(atFirst)
		runtime.AddCleanup(new([2]*int), func(percent int) { debug.SetGCPercent(percent) }, garbage)
	}
}
