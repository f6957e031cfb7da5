package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// TensorReader is a backend that can show the tensors inside its engine. It leaves the model
// unchanged, and the engine as far as possible: the tensors are those that this engine computes,
// not those of an engine for a model with more outputs.
type TensorReader interface {
	Backend

	// RunWithTensors is Run with the named tensors of the model beside the outputs of every
	// iteration, in the element types that the model gives them. A tensor that the engine does not
	// compute, such as one that was folded away, is absent. The outputs come from the engine that
	// gave the tensors: if they differ from Run's in any bit, it is a different engine.
	RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (*Run, error)
}
