// Package backends is what every engine looks like to a spec: a [Backend] takes inputs and gives a
// [Run], the outputs of each iteration with their provenance. The engines are in its
// sub-packages; `fake` is one without an engine, for specs of your own.
package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// Backend is one model, ready in one engine. It is safe for concurrent use.
type Backend interface {
	// Run infers every iteration of inputs, in order. It is made to be one line of a spec:
	//
	//	Expect(backend.Run(ctx, inputs)).To(MatchGolden("resnet18"))
	//
	// Cancelling ctx stops the work; the error then wraps ctx's. Inputs that have no iteration
	// are an error, because a run of nothing could only pass by accident.
	Run(ctx context.Context, inputs fixtures.Inputs) (*Run, error)

	// Close frees what the engine holds. Closing twice is harmless; running afterwards is an
	// error.
	Close() error
}
