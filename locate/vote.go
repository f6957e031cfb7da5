package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
)

// VoteOptions control how [Vote] compares the runs.
type VoteOptions struct {
	// Compare is the rule for every pair of runs. It needs at least one check. FailFast is ignored,
	// because every output is voted on.
	Compare compare.Options
	// Locate also finds the node at which an engine outside the majority first differs from an engine
	// of the majority. If there is no majority, it finds where two of the engines differ. It runs the
	// model again with its tensors marked as outputs.
	Locate bool
	// Run, if not nil, is an existing run on the same inputs. It counts as the first vote, by the
	// engine that made it.
	Run *backends.Run
}

// Vote finds which of several engines differ from the others. With only two engines it would be
// unclear which one is wrong. A third and a fourth independent engine settle the question.
//
// Vote runs the model on every engine with identical inputs and compares each pair of runs with the
// same rule. For each output, engines that agree form a camp. A camp with more than half of the
// votes is the majority. The report also says if there is a tie, or if there are no clear camps: A
// and B agree, and B and C, but A and C do not. For each engine outside the majority, the report
// lists the outputs in which it disagrees. If Locate is set, the report also says where inside the
// model that engine first differs from an engine of the majority.
//
// Engines of the same kind share code and therefore faults. The report warns if all engines of the
// majority are of one kind and an engine of a different kind disagrees.
//
// An engine that cannot run the model has no vote, and the report says why. It is an error if fewer
// than two engines vote, if two have the same settings, if the inputs cannot be created, if the
// options are invalid, or if ctx ends.
func Vote(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs, o VoteOptions,
	engines ...backends.Engine) (*VoteReport, error) {
	for i, e := range engines {
		if e == nil {
			return nil, errors.New("vote: an engine is nil")
		}
		if slices.ContainsFunc(engines[:i],
			func(other backends.Engine) bool { return other.Text() == e.Text() }) {
			return nil, fmt.Errorf("vote: %v is named twice with the same settings, so its two votes "+
				"would agree; change its settings, or name it once", e)
		}
	}
	b := &ballot{model: model, options: o}
	sets, err := backends.Subject{Model: model, Inputs: inputs}.Draw()
	if err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	ctx = guesses.Context(ctx, inputs.Notes())
	// The inputs are drawn once, so that all engines get identical ones.
	b.inputs = fixtures.Of(sets...)
	b.options.Compare.FailFast = false
	b.report = &VoteReport{Inputs: inputs.Origin().Text, Rule: ruleText(o.Compare)}
	if o.Run != nil {
		b.enter(o.Run.Subject().Engine, o.Run, nil)
	}
	for _, e := range engines {
		run, err := backends.RunIn(ctx, e, b.model, b.inputs)
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("vote: %w", cause)
		}
		b.enter(e, run, err)
	}
	if len(b.voting) < 2 {
		wrong := fmt.Sprintf("vote: at least two engines must run the model, but only %d of %d did; add "+
			"an engine, or the same engine with other settings", len(b.voting), len(b.report.Voters))
		for _, v := range b.report.Refused() {
			wrong += fmt.Sprintf("; %s: %s", v.Name, v.Refused)
		}
		return nil, errors.New(wrong)
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

// enter adds an engine to the ballot, together with its run, or with the error if it cannot vote.
func (b *ballot) enter(e backends.Engine, run *backends.Run, refused error) {
	v := &Voter{engine: e, run: run}
	if refused != nil {
		v.Refused = refused.Error()
	} else {
		v.Provenance = run.Provenance
		b.voting = append(b.voting, v)
	}
	if v.base = v.Provenance.String(); e != nil {
		v.base = e.String()
	}
	v.Name = v.base
	times := 1
	for _, other := range b.report.Voters {
		if other.base == v.base {
			times++
			v.Name = fmt.Sprintf("%s #%d", v.base, times)
		}
	}
	b.report.Voters = append(b.report.Voters, v)
}
