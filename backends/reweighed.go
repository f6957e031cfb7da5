package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Replace gives a constant of a model other values, or nil to keep it; see
// [loaders.Model.ReplaceConstants].
type Replace = func(loaders.Constant) (*tensor.Tensor, error)

// ReweighingEngine is an engine that runs a model with other constants without a second copy of it
// in memory.
type ReweighingEngine interface {
	Engine

	// RunReweighed runs model once over the inputs, with the constants that replace gives it, and
	// returns the outputs of each iteration.
	RunReweighed(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
		replace Replace) ([]*tensor.Set, error)
}

// RunReweighed runs a model with other constants: by the engine itself where it can
// ([ReweighingEngine]), else as a rewritten model.
func RunReweighed(ctx context.Context, e Engine, model *loaders.Model, inputs fixtures.Inputs,
	replace Replace) ([]*tensor.Set, error) {
	if r, ok := e.(ReweighingEngine); ok {
		return r.RunReweighed(ctx, model, inputs, replace)
	}
	changed, err := edit.ReplaceConstants(model, replace)
	if err != nil {
		return nil, err
	}
	run, err := RunIn(ctx, e, changed, inputs)
	if err != nil {
		return nil, err
	}
	return run.Outputs(), nil
}
