package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// garbage is the GC percentage (GOGC). It is half of Go's default, because models and tensors take
// much memory, of which little is garbage.
const garbage = 50

// atFirst is the GC percentage until the first garbage collection. It delays that collection from 2
// MB of heap to 8 MB. Most commands need less memory, and spent a tenth of their time on
// collection.
const atFirst = 200

// fewest is the GC percentage of a process that reads a file of millions of small objects, of which
// half as much garbage would exceed the memory that a file may take.
const fewest = 20

// percentage is what [Sparing] and [Crowded] have set, or 0 if the process keeps Go's default.
var percentage atomic.Int32

// Sparing makes the process collect garbage more often than Go's default, except that it delays the
// first collection. If the environment sets GOGC, Sparing changes nothing.
func Sparing() {
	if os.Getenv("GOGC") != "" {
		percentage.Store(0)
		return
	}
	percentage.Store(atFirst)
	debug.SetGCPercent(atFirst)
	runtime.AddCleanup(new([2]*int), func(int) { lower(atFirst, garbage) }, 0)
}

// Crowded makes a process that called [Sparing] collect garbage still more often. Readers call it
// when a file turns out to hold more objects than usual.
func Crowded() {
	for _, from := range []int32{atFirst, garbage} {
		lower(from, fewest)
	}
}

// lower sets the percentage if it is still the one that it should replace.
func lower(from, to int32) {
	if percentage.CompareAndSwap(from, to) {
		debug.SetGCPercent(int(to))
	}
}
