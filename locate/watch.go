package locate

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/memory"
)

// Before a model runs, no one knows how much memory its tensors take, because few models declare
// the shapes of inner tensors. Marking one tensor, then four, then sixteen would take a session
// each, and sessions are the largest cost of a search. So all tensors are marked at once, and the
// run is stopped if it takes too much memory.

// errTooLarge is the cause of cancellation when a run takes too much memory.
var errTooLarge = errors.New("the tensors take too much memory at once")

const (
	// leastWatched is the smallest memory budget at which memory use can be watched. Below it, normal
	// variation of the process's size, which is some megabytes, would matter.
	leastWatched = 64 << 20
	// watchedEvery is the interval between readings of the process's size. A single reading takes
	// about 20 µs.
	watchedEvery = 2 * time.Millisecond
)

// watches reports whether this runner can watch memory use and stop runs that take too much.
func (w *runner) watches() bool {
	_, known := memory.Resident()
	return known && w.options.memory() >= leastWatched &&
		backends.Neighborly(w.actual.parts, w.expected.parts)
}

// watch returns a context that is cancelled with errTooLarge when a run takes too much memory. That
// is the case if the process has grown by more than three quarters of the memory budget since the
// search began, and also by more than an eighth of the budget during this run. The rest of the
// budget is for memory that the engine still allocates before it stops. A run with a single tensor
// is never cancelled. The caller must call stop.
func (w *runner) watch(ctx context.Context, tensors int) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	before, known := memory.Resident()
	if !known || tensors < 2 || !w.watches() {
		return ctx, func() { cancel(nil) }
	}
	eighth := uint64(w.options.memory() / 8)
	if before > w.before+2*eighth {
		debug.FreeOSMemory() // frees the memory of earlier batches
		before, _ = memory.Resident()
	}
	most := max(before+eighth, w.before+6*eighth)
	go func() {
		tick := time.NewTicker(watchedEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now, _ := memory.Resident(); now > most {
				cancel(errTooLarge)
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
