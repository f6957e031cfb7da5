// Package passing marks the context of runs that nobody keeps, such as those of a search within a
// model. Engines leave the checksums of model and inputs out of such a run's provenance: over a
// large model they take longer than the run. They do not warm up either, since nobody reads times.
package passing

import "context"

type key struct{}

// Context returns ctx for runs that nobody keeps.
func Context(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// In reports whether nobody keeps the runs under ctx.
func In(ctx context.Context) bool { return ctx.Value(key{}) != nil }
