package backends

import (
	"context"
	"fmt"
)

// ContextOf returns the context for further runs that examine these runs, for example to locate a
// difference. It is the first context that has not ended, among the contexts of the runs and the
// ones set by [Run.Under]. So the further runs stop with the spec.
//
// The context of a run made in a BeforeEach, a BeforeAll or an earlier spec has already ended. If
// all contexts have ended, the error gives the cause and the remedy. Runs that cannot be repeated
// need no context; if there are only such runs, ContextOf returns the background context.
func ContextOf(runs ...*Run) (context.Context, error) {
	ended := 0
	var cause error
	for _, run := range runs {
		switch {
		case run == nil || run.ctx == nil:
		case run.ctx.Err() == nil:
			return run.ctx, nil
		case run.subject.Repeatable() == nil:
			ended, cause = ended+1, context.Cause(run.ctx)
		}
	}
	switch ended {
	case 0:
		return context.Background(), nil
	case 1:
		return nil, fmt.Errorf("the context of the run has ended (%w), and further runs must "+
			"stop with the spec: make the run in the spec itself, or give it the spec's context with "+
			"run.Under(ctx)", cause)
	}
	return nil, fmt.Errorf("the contexts of both runs have ended (%w), and further runs "+
		"must stop with the spec: make one of the runs in the spec itself, or give it the spec's "+
		"context with run.Under(ctx)", cause)
}
