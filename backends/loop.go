package backends

import (
	"context"

	"github.com/modelparity/modelparity/tensor"
)

// Loop is a series of inferences in one backend. [Capabilities].Loop starts it. It is not safe for
// concurrent use.
type Loop interface {
	// Step runs one inference and returns the outputs named in outputs, which may be empty. inputs
	// contains only the inputs for which no earlier step has kept a value. keep says which outputs
	// stay in the engine: it maps an output's name to the name of an input. In the following steps
	// that input has the output's value, until a later step replaces it.
	Step(ctx context.Context, inputs *tensor.Set, outputs []string, keep map[string]string) (
		*tensor.Set, error)
	// Kept returns the type and shape of the value that is kept for the named input. It returns an
	// error if no value is kept for that input.
	Kept(input string) (tensor.ElementType, tensor.Shape, error)
	// Read returns a copy of the value that is kept for the named input.
	Read(input string) (*tensor.Tensor, error)
	// Provenance returns the provenance of the backend's runs, without inputs.
	Provenance() Provenance
	// Close frees the kept values. Closing twice is harmless.
	Close() error
}
