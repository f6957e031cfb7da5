package backends

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Infer returns the outputs of one set of inputs.
type Infer func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error)

// Collect runs infer over every iteration of inputs and times each one. It is the loop that all
// backends share: it stops at the first error and at ctx's end, says which iteration failed, and
// refuses inputs without iterations. It adds the origin, the notes and the checksum of the inputs
// to p; the run's subject is of with the inputs and ctx.
func Collect(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs, infer Infer) (
	*Run, error) {
	return CollectWarm(ctx, p, of, inputs, 0, infer)
}

// CollectWarm is [Collect] after warmUp runs of the first iteration, whose outputs and times do not
// count: the first runs of an engine are slower, since it allocates and tunes as it goes.
func CollectWarm(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs, warmUp int,
	infer Infer) (*Run, error) {
	run, err := collect(ctx, p, of, inputs, warmUp, infer)
	return run, plain(err)
}

func collect(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs, warmUp int,
	infer Infer) (*Run, error) {
	p.describe(inputs)
	run := &Run{}
	digest := NewDigest()
	for set, err := range inputs.All() {
		i := len(run.iterations)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w", p.Backend, i, err)
		}
		digest.Add(set)
		for ; warmUp > 0; warmUp-- {
			if _, err = infer(ctx, set); err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: while warming up: %w", p.Backend, err)
			}
		}
		start := time.Now()
		outputs, err := infer(ctx, set)
		if err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w", p.Backend, i, err)
		}
		run.iterations = append(run.iterations,
			Iteration{Outputs: outputs, Runtime: time.Since(start)})
	}
	if len(run.iterations) == 0 {
		return nil, fmt.Errorf("%s: %w", p.Backend, ErrNoInputs)
	}
	p.InputsSHA256 = digest.Sum()
	of.Inputs, of.InputsSHA256, of.ctx = inputs, p.InputsSHA256, ctx
	run.Provenance, run.subject = p, of
	return run, nil
}

// ErrNoInputs is returned for inputs without a single iteration.
var ErrNoInputs = errors.New("the inputs have no iterations, so there is nothing to run")

// ErrClosed is returned by a run on a backend that was closed.
var ErrClosed = errors.New("the backend is closed")
