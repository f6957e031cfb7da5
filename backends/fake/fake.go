// Package fake is a backend without an engine, for specs of your own: it gives fixed outputs, or
// those of a Go function, and can spoil them in every way a real engine might. It is
// deterministic: the same fake gives the same run.
package fake

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Option says what a fake gives, or how it spoils it. Spoilers apply in the order they are given,
// each to what the one before it left.
type Option struct{ apply func(*Backend) }

// Backend is a fake. Make one with [New]; it is safe for concurrent use.
type Backend struct {
	infer  backends.Infer
	inside backends.Infer
	spoil  []spoiler
	delay  time.Duration
	seed   uint64
	name   string
	runs   atomic.Int64
	closed atomic.Bool
	mu     sync.Mutex
	inputs []*tensor.Set
}

// spoiler changes the outputs of one iteration; random is seeded anew for each.
type spoiler func(outputs *tensor.Set, random *rand.Rand) (*tensor.Set, error)

var _ backends.Backend = (*Backend)(nil)

// New makes a fake. Without [Outputs], [Func] or [Echo] every run is an error, because a fake
// without outputs could only hide a mistake.
func New(options ...Option) *Backend {
	b := &Backend{seed: 1, name: "fake"}
	for _, o := range options {
		if o.apply != nil {
			o.apply(b)
		}
	}
	return b
}

// Outputs gives the same outputs for any inputs.
func Outputs(entries ...tensor.Entry) Option {
	set, err := tensor.NewSet(entries...)
	return Func(func(context.Context, *tensor.Set) (*tensor.Set, error) { return set, err })
}

// Output gives one output, the same for any inputs.
func Output(name string, t *tensor.Tensor) Option {
	return Outputs(tensor.Entry{Name: name, Tensor: t})
}

// Func gives what infer gives.
func Func(infer backends.Infer) Option { return Option{func(b *Backend) { b.infer = infer }} }

// Echo gives the inputs back as outputs.
func Echo() Option {
	return Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) { return in, nil })
}

// Named changes the backend's name in the provenance of runs; it is "fake" otherwise.
func Named(name string) Option { return Option{func(b *Backend) { b.name = name }} }

// Seed seeds [Noise]; it is 1 otherwise. Every iteration draws the same noise.
func Seed(seed uint64) Option { return Option{func(b *Backend) { b.seed = seed }} }

// Delay makes every iteration take at least d, unless the context ends before.
func Delay(d time.Duration) Option { return Option{func(b *Backend) { b.delay = d }} }

// Error makes every iteration fail with err.
func Error(err error) Option {
	return Func(func(context.Context, *tensor.Set) (*tensor.Set, error) { return nil, err })
}

// Runs is the number of calls of Run so far, failed ones included.
func (b *Backend) Runs() int { return int(b.runs.Load()) }

// Inputs is the inputs of every iteration so far, in order.
func (b *Backend) Inputs() []*tensor.Set {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*tensor.Set(nil), b.inputs...)
}

// Run gives the fake's outputs for each iteration of inputs.
func (b *Backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	b.runs.Add(1)
	if b.closed.Load() {
		return nil, fmt.Errorf("%s: %w", b.name, backends.ErrClosed)
	}
	return backends.Collect(ctx, backends.Provenance{Backend: b.name}, backends.Subject{}, inputs,
		b.iterate)
}

// Close makes further runs an error. Closing twice is harmless.
func (b *Backend) Close() error {
	b.closed.Store(true)
	return nil
}

func (b *Backend) iterate(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	b.mu.Lock()
	b.inputs = append(b.inputs, inputs)
	b.mu.Unlock()
	if b.infer == nil {
		return nil, errors.New("the fake was given no outputs: use Outputs, Func or Echo")
	}
	if b.delay > 0 {
		timer := time.NewTimer(b.delay)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
	}
	outputs, err := b.infer(ctx, inputs)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(b.seed, 0))
	for _, spoil := range b.spoil {
		if outputs, err = spoil(outputs, random); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}
