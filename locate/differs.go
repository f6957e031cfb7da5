package locate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Differs returns a [Fails] function for [Reduce] that reports whether the two sides differ. The
// function runs the candidate in the actual side's engine, and the same part of the expected side's
// model in the expected side's engine, both on the candidate's inputs. As in [Divergence], NaN
// equals NaN inside the model, and infinities of the same sign are equal.
//
// The subjects are as for [Divergence]. Call forget after the search to close the engines of both
// sides.
func Differs(ctx context.Context, actual, expected backends.Subject, rule compare.Options) (
	fails Fails, forget func(), err error) {
	left, right, err := pair(ctx, actual, expected)
	if err != nil {
		return nil, nil, err
	}
	forget = func() {
		left.close()
		right.close()
	}
	return func(ctx context.Context, c *Candidate) (bool, error) {
		counterpart, err := c.Counterpart(right.model)
		if err != nil {
			return false, err
		}
		inputs := fixtures.Of(c.Inputs...)
		a, wrongA := outputSets(left.run(ctx, c.Model, inputs.Cast(c.Model)))
		e, wrongE := outputSets(right.run(ctx, counterpart, inputs.Cast(counterpart)))
		switch { // an engine that needs declared outputs uses the types of the other side
		case wrongA != nil && wrongE == nil:
			a, wrongA = c.runDeclared(ctx, left, c.of, c.given, e, wrongA)
		case wrongE != nil && wrongA == nil:
			e, wrongE = c.runDeclared(ctx, right, right.model, c.recorded, a, wrongE)
		}
		if err := cmp.Or(wrongA, wrongE); err != nil {
			return false, err
		}
		values := inside(rule)
		values.AnyElementType = true // as in Divergence, the search is about values
		report, err := compare.Runs(a, e, values)
		return report.Verdict == compare.Fail, err
	}, forget, nil
}

// runDeclared cuts the candidate's part out of the model once more, and runs it. This time its
// outputs are declared to have the types of the tensors in reference. If the run succeeds, later
// candidates reuse these types. wrong is the error of the first run. If the second run fails too,
// runDeclared returns both errors.
func (c *Candidate) runDeclared(ctx context.Context, s *side, of *loaders.Model,
	begin []loaders.Value, reference []*tensor.Set, wrong error) ([]*tensor.Set, error) {
	outputs := typedLike(c.outputs, reference)
	model, err := of.Cut(begin, outputs)
	if err != nil {
		return nil, err
	}
	sets, err := outputSets(s.run(ctx, model, fixtures.Of(c.Inputs...).Cast(model)))
	if err != nil {
		return nil, fmt.Errorf("%w; with typed outputs: %w", wrong, inner{err})
	}
	if of == c.of {
		c.Model = model
	}
	c.outputs = outputs
	for _, v := range outputs {
		c.types[v.Name] = v.Type
	}
	return sets, nil
}
