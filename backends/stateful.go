package backends

import (
	"context"

	"github.com/modelparity/modelparity/tensor"
)

// Stateful is implemented by a [Backend] that can keep outputs of one inference inside the engine
// as inputs of the next inference, so that a decoder's cache is never copied. Package decode uses
// this interface if a backend has it.
type Stateful interface {
	// Loop starts a series of inferences. The caller closes it before the backend.
	Loop() (Loop, error)
}

// Loop is a series of inferences of one backend. It is not safe for concurrent use.
type Loop interface {
	// Step infers once, with inputs and the values that earlier steps kept for other inputs, and
	// returns the named outputs; no names means no outputs. keep maps the name of each output that
	// stays in the engine to the name of the input that it becomes in the following steps, until a
	// later step replaces it.
	Step(ctx context.Context, inputs *tensor.Set, outputs []string, keep map[string]string) (
		*tensor.Set, error)
	// Kept returns the type and shape of the value that is kept for the named input. It returns an
	// error if no value is kept for that input.
	Kept(input string) (tensor.ElementType, tensor.Shape, error)
	// Read returns a copy of the value that is kept for the named input.
	Read(input string) (*tensor.Tensor, error)
	// Provenance returns the provenance that the backend's runs share, without their inputs.
	Provenance() Provenance
	// Close frees the kept values. Closing twice is harmless.
	Close() error
}

// Rewinding is implemented by a [Loop] that can drop its last tokens, for example when a draft is
// rejected in speculative decoding.
type Rewinding interface {
	// Rewind shortens the kept values to the given number of tokens, which includes padding.
	Rewind(tokens int) error
}
