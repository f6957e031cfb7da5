package memory

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// garbage is the GC percentage (GOGC) of a process that called [Sparing]. It is half of Go's
// default: models and tensors take much memory, of which little is garbage, and the default would
// let the heap grow to twice that memory.
const garbage = 50

// fewest is the GC percentage after a call of [Crowded], for files with millions of small objects.
// [Sparing] alone sets 50 %: garbage can then grow to half the size of the live objects. For a file
// with so many objects, the process would exceed its memory limit.
const fewest = 20

// spares says whether [Sparing] has changed the GC percentage.
var spares atomic.Bool

// Sparing makes the process collect garbage more often than Go's default. If the environment sets
// GOGC, Sparing changes nothing.
func Sparing() {
	if spares.Store(os.Getenv("GOGC") == ""); spares.Load() {
		debug.SetGCPercent(garbage)
	}
}

// Crowded makes a process that called [Sparing] collect garbage still more often. Readers call it
// when a file turns out to contain more objects than usual.
func Crowded() {
	if spares.Load() {
		debug.SetGCPercent(fewest)
	}
}
