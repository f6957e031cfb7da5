package backends

import (
	"context"

	"github.com/modelparity/modelparity/tensor"
)

// Stateful is implemented by a [Backend] that can keep outputs of one inference inside the engine
// and use them as inputs of the next inference, so that a decoder's cache is never copied. Package
// decode uses this interface if a backend implements it.
type Stateful interface {
	// Loop starts a series of inferences. The caller closes the loop before the backend.
	Loop() (Loop, error)
}

// Loop is a series of inferences of one backend. It is not safe for concurrent use.
type Loop interface {
	// Step runs one inference and returns the named outputs; without names it returns no outputs.
	// inputs supplies some of the model's inputs, and values kept by earlier steps supply the rest.
	// keep maps the name of each output that stays in the engine to the name of the input that the
	// output becomes in the following steps, until a later step replaces it.
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

// Rewinding is implemented by a [Loop] that can drop the last tokens of its kept values, for
// example when a draft is rejected in speculative decoding.
type Rewinding interface {
	// Rewind shortens the kept values to the given number of tokens, which includes padding.
	Rewind(tokens int) error
}
