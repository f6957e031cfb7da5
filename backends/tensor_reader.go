package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// TensorReader is a backend that can return the tensors inside its engine. It leaves the model
// unchanged, and the engine as far as possible: these are the tensors that this engine computes,
// not the tensors of an engine built for a model with more outputs.
type TensorReader interface {
	Backend

	// RunWithTensors is Run, but every iteration also has the named tensors of the model, in the
	// element types that the model declares. A tensor that the engine does not compute, for example
	// because it was folded away, is absent. The outputs come from the same engine as the tensors:
	// if they differ from Run's in any bit, it is a different engine.
	RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (*Run, error)
}
