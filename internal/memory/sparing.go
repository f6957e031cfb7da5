package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// garbage is the GC percentage (GOGC) after the first collection. It is half of Go's default:
// models and tensors take much memory, of which little is garbage, and the default would let the
// heap grow to twice that memory.
const garbage = 50

// atFirst is the GC percentage until the first garbage collection. It delays that collection until
// the heap has 8 MB; with [garbage], it would begin at 2 MB. Most commands need less than 8 MB, and
// the early collections took a tenth of their time.
const atFirst = 200

// fewest is the GC percentage for files with millions of small objects. With [garbage], up to half
// as much garbage as live objects could pile up, which would exceed the memory limit for such a
// file.
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

// lower changes the GC percentage from one value to another. It does nothing if the percentage is
// no longer the first value.
func lower(from, to int32) {
	if percentage.CompareAndSwap(from, to) {
		debug.SetGCPercent(int(to))
	}
}
