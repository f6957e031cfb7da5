package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Infer runs a model on one set of inputs and returns its outputs.
type Infer func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error)

// Collect calls infer for every iteration of inputs, measures how long each call takes, and returns
// the run. Every backend implements its Run method with Collect. Collect stops at the first error
// or when ctx ends; the returned error names the iteration. Inputs without iterations are an error.
//
// The run's provenance is p, with the inputs' origin, notes and checksum added. The run's subject
// is the subject that the caller passes, with the inputs added. If intermediate tensors of the
// model were made outputs too, Collect sorts the outputs into graph order
// ([loaders.Model.GraphOrder]), so that tables and searches go from the inputs to the outputs.
func Collect(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs, infer Infer) (
	*Run, error) {
	return CollectWarm(ctx, p, of, inputs, 0, infer)
}

// CollectWarm is like [Collect], but runs the first iteration warmUp times beforehand and discards
// those outputs and times. An engine's first inferences are slower, because it allocates memory and
// tunes itself.
func CollectWarm(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs, warmUp int,
	infer Infer) (_ *Run, err error) {
	defer func() { err = plain(err) }()
	p.describe(inputs)
	run := &Run{}
	order, err := graphOrder(of.Model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Backend, err)
	}
	digest, kept := inputsum.New(), !passing.In(ctx)
	recorder := recorder{on: kept && overlay.Records()}
	if !kept {
		warmUp = 0 // the times of a temporary run are not used
	}
	for set, err := range inputs.All() {
		i := len(run.iterations)
		if err != nil { // the engine is not to blame
			return nil, fmt.Errorf("iteration %d: %w", i, err)
		}
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w", p.Backend, i, err)
		}
		if kept {
			digest.Add(set)
		}
		recorder.add(set)
		for ; warmUp > 0; warmUp-- {
			_, err := infer(ctx, set)
			if err = cmp.Or(err, context.Cause(ctx)); err != nil {
				return nil, fmt.Errorf("%s: while warming up: %w%s", p.Backend, err,
					guesses.Text(ctx, err, inputs.Notes()))
			}
		}
		start := time.Now()
		outputs, err := infer(ctx, set)
		took := time.Since(start)
		if err == nil && order != nil {
			outputs, err = sets.InOrder(outputs, order)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w%s", p.Backend, i, err,
				guesses.Text(ctx, err, inputs.Notes()))
		}
		run.Append(Iteration{Outputs: outputs, Runtime: took})
	}
	if len(run.iterations) == 0 {
		return nil, fmt.Errorf("%s: %w", p.Backend, ErrNoInputs)
	}
	if kept {
		p.InputsSHA256 = digest.Sum()
	}
	if err := recorder.record(of.Model, p.InputsSHA256); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Backend, err)
	}
	of.Inputs, of.InputsSHA256 = inputs, p.InputsSHA256
	run.Provenance, run.subject, run.ctx = p, of, ctx
	if !passing.In(ctx) && p.Backend != "" { // omit package noise's own runs
		tally.Add(tally.Run{Engine: p.String(), Name: p.Backend, Version: p.Version, Model: p.Model})
	}
	return run, nil
}

// graphOrder returns the names of a model's outputs in graph order if tensors inside the model were
// made outputs too. Otherwise it returns nil, which keeps the engine's order.
func graphOrder(model fixtures.Declaration) ([]string, error) {
	m, ok := model.(*loaders.Model)
	if !ok || m == nil || !m.File().IsMarked() {
		return nil, nil
	}
	return m.GraphOrder()
}

// ErrNoInputs is the error for inputs without iterations.
var ErrNoInputs = errors.New("the inputs have no iterations, so there is nothing to run")

// ErrClosed is the error that Run returns for a closed backend.
var ErrClosed = errors.New("the backend is closed")
