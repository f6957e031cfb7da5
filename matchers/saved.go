package matchers

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/runs"
)

// savedFile is an expected side that is read from a saved run. The file is never written.
type savedFile struct{ path string }

func (f savedFile) read(actual side) (side, error) {
	saved, err := runs.ReadOne(actual.context(), f.path)
	if err == nil {
		saved, err = saved.NamedLike(actual.asRun())
	}
	if err != nil {
		return side{}, fmt.Errorf("the expected run: %w", err)
	}
	return sideOf(saved.Run)
}

func (f savedFile) String() string { return "the file " + f.path }

// context returns the context in which the run was made. That context may have ended, for example
// if the run was made in BeforeAll; then context returns the background context.
func (s side) context() context.Context {
	ctx, err := backends.ContextOf(s.run)
	if err != nil {
		return context.Background()
	}
	return ctx
}

// asRun returns the side's run. If the side consists only of sets of outputs, asRun returns a new
// run that contains these sets.
func (s side) asRun() *backends.Run {
	if s.run != nil {
		return s.run
	}
	run := &backends.Run{}
	for _, set := range s.sets {
		run.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	return run
}
