package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// garbage is the GC percentage (GOGC). It is half of Go's default, because models and tensors take
// much memory, of which little is garbage.
const garbage = 50

// atFirst is the GC percentage until the first garbage collection. It delays that collection from 2
// MB of heap to 8 MB. Most commands need less memory, and spent a tenth of their time on
// collection.
const atFirst = 200

// Sparing makes the process collect garbage more often than Go's default, except that it delays the
// first collection. If the environment sets GOGC, Sparing changes nothing.
func Sparing() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(atFirst)
		runtime.AddCleanup(new([2]*int), func(percent int) { debug.SetGCPercent(percent) }, garbage)
	}
}
