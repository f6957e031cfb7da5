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

// fewest is the GC percentage for files with millions of small objects. At 50 %, garbage could grow
// to half the size of the live objects, which would exceed the memory limit for such a file.
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
