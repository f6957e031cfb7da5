package relations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// Relation is something that must hold between runs of one model. Make one with [Batch] or a
// function beside it.
type Relation struct {
	name  string // as the command line calls it
	text  string // what must hold
	check func(c *checker) error
	near  bool // within noise, where no rule is given
	wrong error
}

// Name is what reports and the command line call the relation: "batch".
func (r Relation) Name() string { return r.name }

// String is what must hold, in words.
func (r Relation) String() string { return r.text }

// Check runs the subject's model again and again, and says which of the relations hold. Each is
// looked at up to its first breach.
//
// Errors: a subject that cannot be run again, misuse of the options, and a context that has ended.
// What keeps one relation from being judged is in its [Result], with the remedy.
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
	subject.Engine = backends.Unshared(subject.Engine) // other sessions are what relations ask about
	r := &Report{Model: subject.Model.Name(), Engine: subject.Engine.String(),
		Rule: o.Rule.of(relations).String()}
	for _, relation := range relations {
		rule := o.Rule
		if relation.near && rule.Exact() {
			rule.Noise = true
		}
		c := &checker{ctx: ctx, subject: subject, sets: sets, options: o,
			judge: newJudge(rule), result: Result{Relation: relation.name, Text: relation.text}}
		err := relation.wrong
		if err == nil && relation.check == nil {
			err = errors.New("the zero Relation holds of everything; use relations.Batch() or another")
		}
		if err == nil {
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

// of is the rule by which relations are judged all together: noise, where that is what all of them
// are judged by without another.
func (r Rule) of(relations []Relation) Rule {
	near := !slices.ContainsFunc(relations, func(x Relation) bool { return !x.near })
	r.Noise = r.Noise || near && r.Exact()
	return r
}

// conclude is the verdict on a relation.
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
