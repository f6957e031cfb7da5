package inuse

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLeft means that work did not stop in time after its context ended, and continues in the
// background. The error that wraps ErrLeft also wraps the context's error.
var ErrLeft = errors.New("the engine did not stop and continues in the background")

// Leave calls work and returns its result. If work has not returned within patience after the end
// of ctx, Leave returns an error that wraps both ctx's error and [ErrLeft]. The work then continues
// in the background. If it succeeds in the end, Leave calls drop with its result.
func Leave[T any](ctx context.Context, patience time.Duration, work func() (T, error),
	drop func(T)) (T, error) {
	if ctx.Done() == nil {
		return work()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(patience):
	}
	go func() {
		if r := <-done; r.err == nil {
			drop(r.value)
		}
	}()
	var none T
	return none, fmt.Errorf("%w: %w", context.Cause(ctx), ErrLeft)
}
