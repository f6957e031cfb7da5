package inuse

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const patience = 200 * time.Millisecond

// keep fails the test where something is dropped that should not be.
func keep(t *testing.T) func(int) {
	return func(int) { t.Error("dropped") }
}

func TestWorkThatEndsGivesWhatItGives(t *testing.T) {
	g := NewWithT(t)
	failure := errors.New("refused")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, ctx := range []context.Context{context.Background(), ctx} {
		g.Expect(Leave(ctx, patience, func() (int, error) { return 7, nil }, keep(t))).To(Equal(7))
		_, err := Leave(ctx, patience, func() (int, error) { return 0, failure }, keep(t))
		g.Expect(err).To(MatchError(failure))
	}
}

func TestWorkThatStopsSoonAfterItsContextIsWaitedFor(t *testing.T) {
	g := NewWithT(t)
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Leave(ctx, patience, func() (int, error) {
		cancel(reason)
		time.Sleep(50 * time.Millisecond)
		return 0, context.Cause(ctx)
	}, keep(t))
	g.Expect(err).To(MatchError(reason))
	g.Expect(err).NotTo(MatchError(ErrLeft))
}

func TestWorkThatDoesNotStopIsLeftAndWhatItMakesIsDropped(t *testing.T) {
	g := NewWithT(t)
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	end, dropped := make(chan bool), make(chan int, 1)
	_, err := Leave(ctx, patience, func() (int, error) {
		cancel(reason)
		<-end
		return 7, nil
	}, func(n int) { dropped <- n })
	g.Expect(err).To(And(MatchError(reason), MatchError(ErrLeft)))
	close(end)
	g.Eventually(dropped).Should(Receive(Equal(7)))
}
