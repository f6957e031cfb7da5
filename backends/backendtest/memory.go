package backendtest

import (
	"context"
	"runtime"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/testing/leaks"
)

// memorySpecs check for leaks.
var memorySpecs = []Spec{
	{Name: "frees the memory of its runs", check: freesRuns},
	{Name: "frees what it opened", check: freesBackends},
	{Name: "leaves no goroutines behind", check: freesGoroutines},
}

// expectNoLeak fails t if step leaks memory, see [leaks.Found]. The check is skipped under the race
// detector, which allocates memory itself.
func expectNoLeak(t backends.T, of backends.Engine, times, limit int, step func()) {
	t.Helper()
	if raceDetector {
		t.Skipf("%v is exempt: the race detector itself allocates memory", of)
		return
	}
	if leaks.Found(t, times, limit, step) {
		t.Fatalf("memory grew in each of %d rounds of %d steps, by %d KiB or more", leaks.Rounds, times,
			limit)
	}
}

func freesRuns(ctx context.Context, t backends.T, s subject) {
	inputs := subtraction(300, 1) // 3.6 kB per input and output
	b := open(ctx, t, s, arithmetic(), inputs)
	defer closed(t, b)
	expectNoLeak(t, s.engine, 2000, 1500, func() { run(ctx, t, b, inputs) })
}

func freesBackends(ctx context.Context, t backends.T, s subject) {
	model, inputs := layers(), feed("x", spread(1)) // 16 kB of weights
	s.engine = backends.Unshared(s.engine)
	expectNoLeak(t, s.engine, 60, 700, func() {
		b := open(ctx, t, s, model, inputs)
		run(ctx, t, b, inputs)
		closed(t, b)
	})
}

func freesGoroutines(ctx context.Context, t backends.T, s subject) {
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
