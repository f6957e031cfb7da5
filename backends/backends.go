// Package backends defines the interface of all inference engines. A [Backend] runs a model over
// inputs and returns a [Run]: the outputs of each iteration and a record of what produced them
// ([Provenance]). The engines are in the sub-packages; `fake` is a stand-in engine for your own
// specs.
package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// Backend is a model that an engine has opened and can run. It is safe for concurrent use.
type Backend interface {
	// Run runs the model on each iteration of inputs, in order. A spec usually calls it in one line:
	//
	//	Expect(backend.Run(ctx, inputs)).To(MatchGolden("resnet18"))
	//
	// Cancelling ctx stops the work; the returned error then wraps the context's error. Inputs
	// without iterations are an error, because a comparison of empty runs would always pass.
	Run(ctx context.Context, inputs fixtures.Inputs) (*Run, error)

	// Close frees the memory and the other resources of the backend. Closing twice is harmless;
	// calling Run after Close returns an error.
	Close() error
}
