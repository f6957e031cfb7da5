package backends

import (
	"context"
	"fmt"
)

// ContextOf returns a context for follow-up runs that examine the given runs, for example to locate
// a difference. Each run has the context in which it was made, or the one set with [Run.Under].
// ContextOf returns the first of these contexts that has not ended, so the follow-up runs stop when
// the spec stops.
//
// The context of a run made in a BeforeEach, a BeforeAll or an earlier spec has already ended. If
// all contexts have ended, the error explains this and says what to do. A run that cannot be
// repeated needs no context; if none of the runs can be repeated, ContextOf returns the background
// context.
func ContextOf(runs ...*Run) (context.Context, error) {
	var cause error
	for _, run := range runs {
		switch {
		case run == nil || run.ctx == nil:
		case run.ctx.Err() == nil:
			return run.ctx, nil
		case run.subject.Repeatable() == nil:
			cause = context.Cause(run.ctx)
		}
	}
	if cause == nil {
		return context.Background(), nil
	}
	return nil, fmt.Errorf("the run's context has ended (%w), so follow-up runs cannot use it; "+
		"run the model inside the spec, or give the run the spec's context with run.Under(ctx)", cause)
}
