// Package backends defines what every engine looks like to a spec: a [Backend] takes inputs and
// returns a [Run], the outputs of each iteration with their provenance. The engines are in its
// sub-packages; `fake` stands in for an engine in your own specs.
package backends

import (
	"context"

	"github.com/modelparity/modelparity/fixtures"
)

// Backend is one model, ready in one engine. It is safe for concurrent use.
type Backend interface {
	// Run infers the iterations of inputs one after the other. It is meant to be one line of a
	// spec:
	//
	//	Expect(backend.Run(ctx, inputs)).To(MatchGolden("resnet18"))
	//
	// Cancelling ctx stops the work; the error then wraps ctx's. Inputs without iterations are an
	// error, because an empty run could only pass by accident.
	Run(ctx context.Context, inputs fixtures.Inputs) (*Run, error)

	// Close frees what the engine holds. Closing twice is harmless; running afterwards is an
	// error.
	Close() error
}
