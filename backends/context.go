package backends

import (
	"context"
	"fmt"
)

// ContextOf returns the context under which to look further into runs, such as into a difference
// between two: the first one that has not ended, of the contexts that the runs were made under or
// were given by [Run.Under]. So whatever runs further stops with the spec.
//
// A run of a BeforeEach, a BeforeAll or an earlier spec has a context that ended with it. If all
// have ended, the error gives the cause and the remedy. Runs that cannot be repeated need no
// context: without any other, it is the background context.
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
		return nil, fmt.Errorf("the context of the run has ended (%w), and whatever runs further must "+
			"stop with the spec: make the run in the spec itself, or give it the spec's context with "+
			"run.Under(ctx)", cause)
	}
	return nil, fmt.Errorf("the contexts of both runs have ended (%w), and whatever runs further "+
		"must stop with the spec: make one of the runs in the spec itself, or give it the spec's "+
		"context with run.Under(ctx)", cause)
}
