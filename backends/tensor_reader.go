package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// TensorReader is implemented by a [Backend] that can return tensors from inside its engine
// without changing the model. The tensors come from this very engine, or from one that is almost
// the same, and not from an engine built for a model with additional outputs.
type TensorReader interface {
	// RunWithTensors is Run, but every iteration also contains the named tensors of the model, in
	// the element types that the model declares. A tensor that the engine does not compute, for
	// example because it was folded away, is absent. The outputs and the tensors come from the same
	// inference. A caller can compare the outputs with Run's: if any bit differs, reading the
	// tensors has changed the engine, and they describe another engine.
	RunWithTensors(ctx context.Context, inputs fixtures.Inputs, names []string) (*Run, error)
}
