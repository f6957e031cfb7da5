package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// garbage is how much of what is in use may be waiting to be collected, in percent: half of Go's
// own choice, since what is read here is large, and little of it is garbage.
const garbage = 50

// atFirst is that until the first collection, which comes at 8 MB then and not at 2: most runs of
// the command end before, and collecting took a tenth of them.
const atFirst = 200

// Sparing has the process collect its garbage earlier than Go does, but not at once. GOGC in the
// environment goes before.
func Sparing() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(atFirst)
		runtime.AddCleanup(new([2]*int), func(percent int) { debug.SetGCPercent(percent) }, garbage)
	}
}
