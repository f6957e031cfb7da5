package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/guesses"
)

// Relation is a property that must hold between runs of one model. Create one with [Batch] or a
// similar function.
type Relation struct {
	name  string // the name on the command line
	text  string // the property that must hold
	check func(c *checker) error
	near  bool // by default, differences within rounding noise are allowed
	rows  bool // it must know which axis is the batch
}

// String returns the relation's name in reports and on the command line: "batch".
func (r Relation) String() string { return r.name }

// Check runs the subject's model repeatedly and reports which of the relations hold. It stops
// checking a relation at the first difference. If a relation cannot be judged, its [Result]
// contains the reason and a remedy.
//
// If some relations need to know the batch axis and it cannot be determined, Check runs nothing and
// reports only that these relations cannot be judged. Check returns an error if the subject cannot
// be run again, if options are invalid, or if the context ends.
func Check(ctx context.Context, subject backends.Subject, o Options, relations ...Relation) (
	*Report, error) {
	if len(relations) == 0 {
		return nil, errors.New("relations: no relation to check; name one, such as relations.Batch()")
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := subject.Repeatable(); err != nil {
		return nil, fmt.Errorf("relations: %w", err)
	}
	sets, err := subject.Draw()
	if err != nil {
		return nil, fmt.Errorf("relations: %w", err)
	}
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	subject.Engine = backends.Unshared(subject.Engine) // relations must open new sessions
	near := !slices.ContainsFunc(relations, func(x Relation) bool { return !x.near })
	r := &Report{Model: subject.Model.Name(), Engine: subject.Engine.String(),
		Rule: o.Rule.withDefault(near).text()}
	var batch axes
	if slices.ContainsFunc(relations, func(x Relation) bool { return x.rows }) {
		if batch, err = batchOf(subject.Model, sets, o.Along); err != nil {
			for _, x := range relations {
				if x.rows {
					r.Results = append(r.Results, Result{Relation: x.name, Text: x.text,
						Refused: err.Error()})
				}
			}
			return r, nil
		}
	}
	for _, relation := range relations {
		c := &checker{ctx: ctx, subject: subject, sets: sets, options: o, axes: batch,
			judge:  newJudge(o.Rule.withDefault(relation.near)),
			result: Result{Relation: relation.name, Text: relation.text}}
		err := errors.New("the zero Relation checks nothing; use a relation such as relations.Batch()")
		if relation.check != nil {
			err = relation.check(c)
		}
		c.close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("relations: %s: %w", relation.name, context.Cause(ctx))
		}
		r.Results = append(r.Results, c.conclude(err))
	}
	r.rank()
	return r, nil
}

// withDefault returns r or, if r is the zero Rule and near is set, the rule that allows rounding
// noise.
func (r Rule) withDefault(near bool) Rule {
	r.Noise = r.Noise || near && r.Exact()
	return r
}

// conclude returns the result for a relation, given the error of its check.
func (c *checker) conclude(err error) Result {
	result := c.result
	result.Compared = c.judge.compared
	switch {
	case result.Breach != nil:
		result.Verdict = compare.Fail
	case err != nil:
		result.Refused = err.Error()
	case result.Compared == 0:
		result.Refused = "no two outputs were compared, so nothing was checked"
	default:
		result.Verdict = compare.Pass
	}
	return result
}
