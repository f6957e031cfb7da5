// Package leaks finds out whether a spec's work leaks memory of the process, including memory that
// native libraries allocate.
package leaks

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/modelparity/modelparity/internal/memory"
)

// T lists the methods of a test that [Found] needs.
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Rounds is the number of rounds in which [Found] measures memory.
const Rounds = 12

// Found calls step the given number of times in each of [Rounds] rounds. It reports whether this
// process and its descendants grew by at least limit KiB in every round. A leak grows in every
// round, but an allocator's pools, the race detector and garbage of earlier specs grow only at
// first. The steps run on one thread, because the C library has a memory pool for each thread. On
// systems other than Linux, Found skips the test.
func Found(t T, times, limit int, step func()) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skipf("resident memory can be measured only on Linux")
		return false
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range Rounds {
		before := resident(t)
		for range times {
			step()
		}
		if resident(t)-before < limit {
			return false
		}
	}
	return true
}

// resident returns the resident memory of this process and its descendants in KiB, including Go's
// heap. Descendants count because an engine may run in its own process.
func resident(t T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	trim()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatalf("resident memory: %v", err)
	}
	parents, kib := map[uint64]uint64{}, map[uint64]uint64{}
	for _, folder := range folders {
		id, _ := strconv.ParseUint(filepath.Base(folder), 10, 64)
		status := filepath.Join(folder, "status")
		parents[id], _ = memory.Statistic(status, "PPid:")
		kib[id], _ = memory.Statistic(status, "VmRSS:") // 0 if the process has ended
	}
	self := uint64(os.Getpid())
	if kib[self] == 0 {
		t.Fatalf("/proc does not report this process's resident memory")
	}
	sum := uint64(0)
	for id := range kib {
		for of := id; of > 0; of = parents[of] {
			if of == self {
				sum += kib[id]
				break
			}
		}
	}
	return int(sum)
}
