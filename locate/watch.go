package locate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/memory"
)

// How much memory every tensor of a model takes is not known before it ran: few models declare the
// shapes inside. Marking one tensor, then four, then sixteen costs a session each, and sessions are
// most of what a search costs. So all of them are marked at once, and the run is stopped when it
// takes too much.

// errTooLarge is why a run was stopped.
var errTooLarge = errors.New("the tensors take too much memory at once")

const (
	// leastWatched is the smallest budget that can be watched: the process's size changes by some
	// megabytes for other reasons.
	leastWatched = 64 << 20
	// watchedEvery is how often the process's size is read, which takes some 20 µs.
	watchedEvery = 2 * time.Millisecond
)

// watches reports whether runs of the sides can be stopped by the memory that they take.
func (w *runner) watches() bool {
	_, known := memory.Resident()
	return known && w.options.memory() >= leastWatched && abreast(w.actual.side, w.expected.side)
}

// watch returns a context that ends with errTooLarge when the process has grown by the budget since
// now. A single tensor may take more. The caller calls stop.
func (w *runner) watch(ctx context.Context, tensors int) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	before, known := memory.Resident()
	if !known || tensors < 2 || !w.watches() {
		return ctx, func() { cancel(nil) }
	}
	go func() {
		tick := time.NewTicker(watchedEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now, _ := memory.Resident(); now > before+uint64(w.options.memory()) {
				cancel(errTooLarge)
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// both does something for each side, side by side where their engines allow it.
func (w *runner) both(actual, expected func()) {
	both(abreast(w.actual.side, w.expected.side), actual, expected)
}

// abreast reports whether the two sides may run side by side.
func abreast(actual, expected *side) bool {
	return backends.Neighborly(actual.parts, expected.parts)
}

func both(abreast bool, actual, expected func()) {
	if !abreast {
		actual()
		expected()
		return
	}
	var other sync.WaitGroup
	other.Go(expected)
	actual()
	other.Wait()
}
