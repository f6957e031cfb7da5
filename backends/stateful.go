package backends

import (
	"context"

	"github.com/modelparity/modelparity/tensor"
)

// Stateful is a [Backend] that can leave outputs of one inference where they are, to be inputs of
// the next: a decoder's cache is then never copied. Package decode uses it where an engine has it.
type Stateful interface {
	Backend
	// Loop begins a row of inferences. The caller closes it before the backend.
	Loop() (Loop, error)
}

// Loop is a row of inferences of one backend. It is not safe for concurrent use.
type Loop interface {
	// Step infers once. Inputs are fed beside those that are kept, and returned are the outputs of
	// the names, without which there are none. keep says which outputs stay in the engine, and which
	// input of the following steps each becomes, until another takes its place.
	Step(ctx context.Context, inputs *tensor.Set, outputs []string, keep map[string]string) (
		*tensor.Set, error)
	// Kept is the type and shape of what an input is kept at. An input that none is kept for is an
	// error.
	Kept(input string) (tensor.ElementType, tensor.Shape, error)
	// Read copies what an input is kept at.
	Read(input string) (*tensor.Tensor, error)
	// Provenance is that of a run of the backend, without the inputs.
	Provenance() Provenance
	// Close frees what is kept. Closing twice is harmless.
	Close() error
}

// Rewinding is a [Loop] that can take tokens back, as a refused draft of speculative decoding.
type Rewinding interface {
	Loop
	// Rewind leaves so many tokens in what is kept, padding among them.
	Rewind(tokens int) error
}
