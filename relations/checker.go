package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// checker runs the subject for one [Relation] and records the result.
type checker struct {
	ctx     context.Context
	subject backends.Subject
	sets    []*tensor.Set // the subject's inputs
	options Options
	axes    axes // the batch axes, for relations between rows
	judge   *judge
	result  Result

	backend backends.Backend // see open
}

// errBroken ends a check at the first difference.
var errBroken = errors.New("the relation does not hold")

// note adds a line to the result about what was checked or skipped, but never the same line twice.
func (c *checker) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.result.Notes, text) {
		c.result.Notes = append(c.result.Notes, text)
	}
}

// breaks records that the relation does not hold, and returns the error that ends the check.
func (c *checker) breaks(b *Breach) error {
	c.result.Breach = b
	return errBroken
}

// same compares outputs with the outputs of a reference run. If they differ, the relation does not
// hold; how describes the run that computed the outputs.
func (c *checker) same(outputs *tensor.Set, expected reference, how string) error {
	breach, err := c.judge.sets(outputs, expected)
	if breach == nil || err != nil {
		return err
	}
	breach.How = how
	return c.breaks(breach)
}

// open opens the subject's engine for the shapes of the subject's first inputs and for the shapes
// in sets. The subject's inputs come first, because most runs have the shapes of these inputs.
func (c *checker) open(sets ...*tensor.Set) error { return c.openIn(c.subject.Engine, sets...) }

// openIn is like open, for any engine.
func (c *checker) openIn(e backends.Engine, sets ...*tensor.Set) error {
	c.close()
	all := append([]*tensor.Set{c.sets[0]}, sets...)
	var err error
	c.backend, err = e.Open(c.ctx, c.subject.Model, fixtures.Of(all...))
	return err
}

// close releases the opened engine.
func (c *checker) close() {
	if c.backend != nil {
		_ = c.backend.Close() // the results are complete, so an error of Close does not matter
		c.backend = nil
	}
}

// run runs one set of inputs in the opened engine.
func (c *checker) run(set *tensor.Set) (reference, error) {
	return referenceOf(c.backend.Run(c.ctx, fixtures.Of(set)))
}

// runIn runs one set of inputs in a new session.
func (c *checker) runIn(e backends.Engine, set *tensor.Set) (reference, error) {
	return referenceOf(backends.RunIn(c.ctx, e, c.subject.Model, fixtures.Of(set)))
}

// referenceOf returns a reference for a run of one iteration. It returns err if that is not nil.
func referenceOf(run *backends.Run, err error) (reference, error) {
	if err != nil {
		return reference{}, err
	}
	outputs, err := sets.Stacked(run.Outputs()[0])
	return reference{run: run, outputs: outputs}, err
}
