// Package passing marks the context of temporary runs, such as the runs of a search within a model.
// For temporary runs, engines do not compute the checksums of the model and the inputs: for a large
// model, the checksums would take longer than the run. They do not warm up either, because the
// times are not used.
package passing

import "context"

type key struct{}

// Context returns a copy of ctx. Runs that use it are temporary; see the package comment.
func Context(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// In reports whether runs that use ctx are temporary; see the package comment.
func In(ctx context.Context) bool { return ctx.Value(key{}) != nil }
