package matchers

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/runs"
)

// savedFile is an expected side that is read from a saved run. The file is never written.
type savedFile struct{ path string }

// read reads the file. If the file's format has no output names, read takes the actual side's.
func (f savedFile) read(_ *comparer, c *comparison) error {
	saved, err := runs.ReadOne(c.actual.context(), f.path)
	if err == nil {
		saved, err = saved.NamedLike(c.actual.asRun())
	}
	if err != nil {
		return fmt.Errorf("the expected run: %w", err)
	}
	c.expected, err = sideOf(saved.Run)
	return err
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
