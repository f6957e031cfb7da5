package backendtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/backends"
)

// lifeSpecs check closing and concurrent use.
var lifeSpecs = []Spec{
	{Name: "can be closed twice", check: closesTwice},
	{Name: "refuses to run once it is closed", check: refusesClosed},
	{Name: "runs concurrently", check: runsConcurrently},
	{Name: "can be closed while it runs", check: closesWhileRunning},
	{Name: "is opened concurrently", check: opensConcurrently},
}

func closesTwice(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(1, 1))
	must(t, "closing", b.Close())
	must(t, "closing again", b.Close())
}

func refusesClosed(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(1, 1))
	run(ctx, t, b, subtraction(1, 1))
	closed(t, b)
	if _, err := b.Run(ctx, subtraction(1, 1)); !errors.Is(err, backends.ErrClosed) {
		t.Fatalf("a run after Close returned %v, expected backends.ErrClosed", err)
	}
}

// concurrently runs f in the given number of goroutines and returns their errors joined. f must not
// use t, because only the spec's own goroutine may fail t.
func concurrently(workers int, f func(worker int) error) error {
	var group sync.WaitGroup
	errs := make([]error, workers)
	for worker := range workers {
		group.Go(func() { errs[worker] = f(worker) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// once runs a backend on the inputs subtraction(n, d), and checks the output "difference".
func once(ctx context.Context, b backends.Backend, n int, d float32) error {
	result, err := b.Run(ctx, subtraction(n, d))
	if err != nil {
		return err
	}
	got, ok := result.Outputs()[0].Get("difference")
	if !ok {
		return errors.New(`the run has no output named "difference"`)
	}
	if why := differ(got, filled(n, d)); why != "" {
		return fmt.Errorf("the output of a concurrent run is %s", why)
	}
	return nil
}

func runsConcurrently(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(2, 1))
	defer closed(t, b)
	must(t, "running concurrently", concurrently(8, func(worker int) error {
		for i := range 50 {
			if err := once(ctx, b, 2, float32(100*worker+i)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func closesWhileRunning(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(2, 1))
	var started sync.WaitGroup
	started.Add(4)
	result := make(chan error, 1)
	go func() {
		result <- concurrently(4, func(worker int) error {
			err := once(ctx, b, 2, float32(worker))
			started.Done()
			for err == nil {
				err = once(ctx, b, 2, float32(worker))
			}
			if errors.Is(err, backends.ErrClosed) {
				return nil
			}
			return err
		})
	}()
	started.Wait()
	closed(t, b)
	must(t, "runs in progress during Close", <-result)
}

func opensConcurrently(ctx context.Context, t backends.T, s subject) {
	must(t, "opening concurrently", concurrently(4, func(worker int) error {
		for range 3 {
			b, err := s.engine.Open(ctx, arithmetic(), subtraction(1, 1))
			if err != nil {
				return err
			}
			if err := errors.Join(once(ctx, b, 1, float32(worker)), b.Close()); err != nil {
				return err
			}
		}
		return nil
	}))
}
