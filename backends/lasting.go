package backends

import (
	"context"
	"fmt"
)

// Lasting returns the context to run something further under, such as what looks into a difference
// between two runs: that of the first run whose context has not ended. A run that a BeforeEach, a
// BeforeAll or an earlier spec made has a context that ended with it; [Run.Under] gives it another.
// If all have ended, the error says so, with the cause and the remedy. What is nil or cannot be run
// again does not count, and asks for nothing: alone it leaves the background context.
func Lasting(runs ...*Run) (context.Context, error) {
	ended := 0
	var cause error
	for _, run := range runs {
		if run == nil || run.subject.Repeatable() != nil {
			continue
		}
		ctx := run.subject.Context()
		if ctx.Err() == nil {
			return ctx, nil
		}
		ended, cause = ended+1, context.Cause(ctx)
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
