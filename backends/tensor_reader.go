package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// TensorReader is implemented by a [Backend] that can return the tensors inside its engine. It does
// not change the model, and changes the engine as little as possible: the tensors are the ones that
// this engine computes, not the ones of an engine built for a model with more outputs.
type TensorReader interface {
	// RunWithTensors is Run, but every iteration also has the named tensors of the model, in the
	// element types that the model declares. A tensor that the engine does not compute, for example
	// because it was folded away, is absent. The outputs and the tensors come from the same
	// inference: if any bit of the outputs differs from Run's, the tensors come from a different
	// engine.
	RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (*Run, error)
}
