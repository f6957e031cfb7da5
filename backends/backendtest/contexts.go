package backendtest

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// contextSpecs check cancellation, and what a run does if its inputs are empty, fail or never end.
var contextSpecs = []Spec{
	{Name: "does not run when the context has ended", check: opened(heedsEnded)},
	{Name: "stops when its context is cancelled", check: opened(stopsWithContext)},
	{Name: "runs again after a run that was cancelled", check: opened(survivesCancel)},
	{Name: "refuses inputs without iterations", check: opened(refusesNothing)},
	{Name: "returns the error that its inputs returned", check: opened(passesOnErrors)},
}

// errEnough is the cause with which these specs cancel contexts.
var errEnough = errors.New("enough")

// patience is how long a cancelled run may take to return. An engine that ignores its context would
// never return.
const patience = 20 * time.Second

func heedsEnded(ctx context.Context, t backends.T, s subject, b backends.Backend) {
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errEnough)
	if _, err := b.Run(ended, subtraction(1, 1)); !errors.Is(err, errEnough) {
		t.Fatalf("Run returned %v, expected %v, the cancellation cause of its context", err,
			errEnough)
	}
	_, err := backends.RunIn(ended, s.engine, arithmetic(), subtraction(1, 1))
	if !errors.Is(err, errEnough) {
		t.Fatalf("Open returned %v, expected %v, the cancellation cause of its context",
			err, errEnough)
	}
}

// endless returns inputs that never end. It closes the channel reached once the run has drawn four
// sets.
func endless(reached chan<- struct{}) fixtures.Inputs {
	one := set("minuend", rows(1, 1), "subtrahend", rows(1, 0))
	return fixtures.From("endless", func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			for i := 0; yield(one, nil); i++ {
				if i == 3 {
					close(reached)
				}
			}
		}
	})
}

// stopsWithContext starts a run over endless inputs, cancels it, and checks that the run soon
// returns the cause of the cancellation.
func stopsWithContext(ctx context.Context, t backends.T, _ subject, b backends.Backend) {
	t.Helper()
	ending, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	reached, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := b.Run(ending, endless(reached))
		done <- err
	}()
	select {
	case <-reached:
	case err := <-done:
		t.Fatalf("a run over endless inputs ended: %v", err)
	case <-time.After(patience):
		t.Fatalf("a run made no progress in %v", patience)
	}
	cancel(errEnough)
	select {
	case err := <-done:
		if !errors.Is(err, errEnough) {
			t.Fatalf("Run returned %v, expected %v, the cause with which its context was cancelled", err,
				errEnough)
		}
	case <-time.After(patience):
		t.Fatalf("a cancelled run did not return in %v", patience)
	}
}

func survivesCancel(ctx context.Context, t backends.T, s subject, b backends.Backend) {
	stopsWithContext(ctx, t, s, b)
	expectOutputs(t, run(ctx, t, b, subtraction(1, 7)), differences(1, 7)...)
}

func refusesNothing(ctx context.Context, t backends.T, _ subject, b backends.Backend) {
	for _, nothing := range []fixtures.Inputs{{}, fixtures.Of()} {
		if _, err := b.Run(ctx, nothing); !errors.Is(err, backends.ErrNoInputs) {
			t.Fatalf("a run without inputs returned %v, expected backends.ErrNoInputs", err)
		}
	}
}

func passesOnErrors(ctx context.Context, t backends.T, _ subject, b backends.Backend) {
	_, err := b.Run(ctx, fixtures.From("broken", func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) { yield(nil, errEnough) }
	}))
	if !errors.Is(err, errEnough) {
		t.Fatalf("Run returned %v; expected the error from its inputs, %v", err, errEnough)
	}
}
