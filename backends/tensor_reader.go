package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// TensorReader is a backend that shows the tensors inside its engine by itself. The model is left
// as it is, and so is the engine, as far as that is possible: what is seen is what the engine in
// question computes, and not another one, made for a model with more outputs.
type TensorReader interface {
	Backend

	// RunWithTensors is Run with the named tensors of the model beside the outputs of every
	// iteration, in the element types that the model gives them. A tensor that the engine does not
	// have by itself, such as one that was folded away, is absent. The outputs are those of the
	// engine that gave the tensors: where they are not Run's, bit for bit, it is another engine.
	RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (*Run, error)
}
