package locate

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
)

// VoteOptions says what pairs are held to.
type VoteOptions struct {
	// Compare is the rule for every pair. At least one check is needed. FailFast is ignored, because
	// every output has its vote.
	Compare compare.Options
	// Locate also looks for the node where each engine that stands apart leaves the majority, or
	// where two camps part. It runs the model again, with its tensors marked.
	Locate bool
	// Memory bounds the bytes of marked tensors that are held at once; see locate.Options.
	Memory int64
}

// Vote says which of several engines stands apart. Two engines that differ leave the question who
// is wrong; a third and a fourth that are independent answer it.
//
// It runs the model on every engine, on the very same inputs, and holds each pair to one rule. If
// the pairs fall into camps, output by output, the greatest camp is the majority and the others
// stand apart; ties, and pairs that fall into no camps, are said as such. Whoever stands apart is
// looked at further: what its outputs look like, and where inside the model it leaves the others.
//
// A vote counts engines, not opinions: engines of one kind share their code and their faults. If
// the majority is of one kind and an engine of another stands apart, the report says so.
//
// An engine that does not run the model has no vote, and the report says why. Fewer than two votes
// are an error, and so are inputs that cannot be drawn, misuse of the options, and the end of ctx.
func Vote(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs, o VoteOptions,
	engines ...backends.Engine) (*VoteReport, error) {
	return VoteWith(ctx, nil, backends.Subject{Model: model, Inputs: inputs}, o, engines...)
}

// VoteWith takes the vote with a run that was made already: run votes first, for the engine of its
// subject, and the other engines run the subject's model on its inputs. A run that cannot be made
// again has no model to run, which is an error; see [backends.Subject.Repeatable]. A nil run has no
// vote.
func VoteWith(ctx context.Context, run *backends.Run, of backends.Subject, o VoteOptions,
	engines ...backends.Engine) (*VoteReport, error) {
	b := &ballot{model: of.Model, options: o}
	sets, err := of.Draw()
	if err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	// Drawn once, so that everybody gets the very same inputs.
	b.inputs = fixtures.Of(sets...)
	b.options.Compare.FailFast = false
	b.report = &VoteReport{Inputs: of.Inputs.Origin().Text, Rule: ruleText(o.Compare)}
	if run != nil {
		b.enter(run.Subject().Engine, run, nil)
	}
	for _, e := range engines {
		if e == nil {
			return nil, errors.New("vote: an engine is nil")
		}
		run, err := backends.RunIn(ctx, e, b.model, b.inputs)
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("vote: %w", cause)
		}
		b.enter(e, run, err)
	}
	if len(b.voting) < 2 {
		return nil, fmt.Errorf("vote: at least two engines have to run the model, got %d of %d%s",
			len(b.voting), len(b.voters), b.refusals())
	}
	if err := b.count(); err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	if o.Locate {
		if err := b.locate(ctx); err != nil {
			return nil, fmt.Errorf("vote: %w", err)
		}
	}
	return b.report, nil
}

// enter adds an engine with its run, or with the reason why it has none.
func (b *ballot) enter(e backends.Engine, run *backends.Run, refused error) {
	v := &voter{engine: e, run: run}
	if run != nil {
		v.Provenance = run.Provenance
		v.Kind = run.Provenance.Backend
	}
	v.base = baseName(e, run)
	v.Name = b.unique(v.base)
	if refused != nil {
		v.Refused = refused.Error()
	} else {
		b.voting = append(b.voting, v)
	}
	b.voters = append(b.voters, v)
	b.report.Voters = append(b.report.Voters, &v.Voter)
}

// baseName is what the report calls an engine: its own words.
func baseName(e backends.Engine, run *backends.Run) string {
	switch {
	case e != nil:
		return e.String()
	case run != nil:
		return run.Provenance.String()
	}
	return "a run"
}

// unique adds a number to the name of an engine that votes again.
func (b *ballot) unique(name string) string {
	times := 1
	for _, v := range b.voters {
		if v.base == name {
			times++
		}
	}
	if times > 1 {
		return fmt.Sprintf("%s #%d", name, times)
	}
	return name
}
