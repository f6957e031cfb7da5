package backends

import (
	"context"

	"github.com/modelparity/modelparity/tensor"
)

// Stateful is a [Backend] that can keep outputs of one inference inside the engine as inputs of the
// next, so that a decoder's cache is never copied. Package decode uses it if the engine has it.
type Stateful interface {
	Backend
	// Loop starts a series of inferences. The caller closes it before the backend.
	Loop() (Loop, error)
}

// Loop is a series of inferences of one backend. It is not safe for concurrent use.
type Loop interface {
	// Step infers once, with the inputs and the values that were kept for other inputs, and returns
	// the named outputs; no names means no outputs. keep maps each output that stays in the engine
	// to the input of the following steps that it becomes, until a later step replaces it.
	Step(ctx context.Context, inputs *tensor.Set, outputs []string, keep map[string]string) (
		*tensor.Set, error)
	// Kept returns the type and shape of the value that is kept for an input. It is an error if
	// none is kept.
	Kept(input string) (tensor.ElementType, tensor.Shape, error)
	// Read copies the value that is kept for an input.
	Read(input string) (*tensor.Tensor, error)
	// Provenance returns the provenance of the backend's runs, without the inputs.
	Provenance() Provenance
	// Close frees the kept values. Closing twice is harmless.
	Close() error
}

// Rewinding is a [Loop] that can drop its last tokens, such as a rejected draft of speculative
// decoding.
type Rewinding interface {
	Loop
	// Rewind shortens the kept values to the given number of tokens, including padding.
	Rewind(tokens int) error
}
