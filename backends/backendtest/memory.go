package backendtest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
)

// memorySpecs check for leaks.
var memorySpecs = []Spec{
	{Name: "frees the memory of its runs", check: freesRuns},
	{Name: "frees what it opened", check: freesBackends},
	{Name: "leaves no goroutines behind", check: freesGoroutines},
}

// resident returns the resident memory of this process and its descendants in KiB, including Go's
// heap. Descendants count because an engine may run in its own process.
func resident(t T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	folders, err := filepath.Glob("/proc/[0-9]*")
	must(t, "resident memory", err)
	parents, memory := map[int]int{}, map[int]int{}
	for _, folder := range folders {
		status, err := os.ReadFile(filepath.Join(folder, "status"))
		if err != nil {
			continue // the process has ended
		}
		id := number(filepath.Base(folder))
		parents[id], memory[id] = field(status, "PPid:"), field(status, "VmRSS:")
	}
	self := os.Getpid()
	if memory[self] == 0 {
		t.Fatalf("/proc does not report this process's resident memory")
	}
	sum := 0
	for id := range memory {
		for of := id; of > 0; of = parents[of] {
			if of == self {
				sum += memory[id]
				break
			}
		}
	}
	return sum
}

// field returns the number in the named line of a /proc status file. It returns 0 if there is no
// such line, for example because the process is a zombie.
func field(status []byte, name string) int {
	_, rest, _ := strings.Cut(string(status), "\n"+name)
	line, _, _ := strings.Cut(rest, "\n")
	return number(strings.TrimSuffix(strings.TrimSpace(line), " kB"))
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// expectNoLeak fails t if step leaks memory. It runs up to six rounds, each of which calls step the
// given number of times. Resident memory that grows by limit KiB or more in every round is a leak;
// an allocator's pools grow only in the first rounds. The check is skipped under the race detector,
// which allocates memory itself.
func expectNoLeak(t T, of backends.Engine, times, limit int, step func()) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skipf("resident memory can be measured only on Linux")
		return
	}
	if raceDetector {
		t.Skipf("%v is excepted: the race detector itself allocates memory", of)
		return
	}
	var grown []int
	for range 6 {
		before := resident(t)
		for range times {
			step()
		}
		growth := resident(t) - before
		if growth < limit {
			return
		}
		grown = append(grown, growth)
	}
	t.Fatalf("memory grew in each of %d rounds of %d steps, by these numbers of KiB: %v", len(grown),
		times, grown)
}

func freesRuns(ctx context.Context, t T, s subject) {
	inputs := subtraction(300, 1) // 3.6 kB per input and output
	b := open(ctx, t, s, arithmetic(), inputs)
	defer closed(t, b)
	expectNoLeak(t, s.engine, 2000, 1500, func() { run(ctx, t, b, inputs) })
}

func freesBackends(ctx context.Context, t T, s subject) {
	model, inputs := layers(), feed("x", spread(1)) // 16 kB of weights
	s.engine = backends.Unshared(s.engine)
	expectNoLeak(t, s.engine, 60, 700, func() {
		b := open(ctx, t, s, model, inputs)
		run(ctx, t, b, inputs)
		closed(t, b)
	})
}

func freesGoroutines(ctx context.Context, t T, s subject) {
	_, err := backends.RunIn(ctx, s.engine, arithmetic(), subtraction(1, 1)) // allocates for good
	must(t, "running", err)
	before := settledGoroutines()
	for range 20 {
		_, err := backends.RunIn(ctx, s.engine, arithmetic(), subtraction(1, 1))
		must(t, "running", err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		now := runtime.NumGoroutine()
		if now < before+10 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("20 runs left %d goroutines behind", now-before)
		}
	}
}

// settledGoroutines waits for the goroutines of earlier specs to end, and returns the number of
// goroutines that remain. It stops waiting when that number has not changed for 0.1 s, and after
// two seconds at the latest.
func settledGoroutines() int {
	n, same := runtime.NumGoroutine(), 0
	for deadline := time.Now().Add(2 * time.Second); same < 10 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
		if now := runtime.NumGoroutine(); now != n {
			n, same = now, 0
		} else {
			same++
		}
	}
	return n
}
