package enginetest

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// T lists the methods of a test that [Leaks] needs.
type T interface {
	Helper()
	Skip(args ...any)
	Fatalf(format string, args ...any)
}

// Leaks runs step the given number of times in each of 12 rounds, and reports whether the process
// grew by at least limit KiB in every round. A leak grows in every round, but an allocator's pools,
// the race detector and garbage of earlier specs grow only at first. The steps run on one thread,
// because the C library has a memory pool for each thread. On systems other than Linux, Leaks skips
// the test.
func Leaks(t T, times, limit int, step func()) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("resident memory can be measured only on Linux")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 12 {
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

// resident returns the resident memory of this process in KiB, including Go's heap.
func resident(t T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	trim()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatalf("resident memory: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest + " ?")[0])
	if err != nil {
		t.Fatalf("resident memory: %v", err)
	}
	return kib
}
