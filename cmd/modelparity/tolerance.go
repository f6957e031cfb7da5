package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
)

// toleranceRequest is what `modelparity tolerance` is asked for.
type toleranceRequest struct {
	running
	outputs
	rule compareflags.Flags // the false alarm
}

// toleranceSections are the flags of tolerance as the help shows them.
func toleranceSections() []section[toleranceRequest] {
	runners, tensorrt := runnerSections(func(r *toleranceRequest) *running { return &r.running })
	return append(append([]section[toleranceRequest]{part("Noise",
		func(r *toleranceRequest) *compareflags.Flags { return &r.rule },
		arguments.Taken[compareflags.Flags]("--false-alarm PROBABILITY")...)}, runners...),
		inputSection(func(r *toleranceRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(func(r *toleranceRequest) *outputs { return &r.outputs }, printFlags),
		tensorrt)
}

// toleranceFlags are all flags of `modelparity tolerance`.
func toleranceFlags() []arguments.Flag[toleranceRequest] {
	return flagsOf("tolerance proposes tolerances and is given none", toleranceSections())
}

// toleranceCommand is `modelparity tolerance`.
func toleranceCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r toleranceRequest
	given, err := read(&r, toleranceFlags(), args)
	if r.help {
		help(stdout, "tolerance", toleranceSections()...)
		return equal
	}
	var f finding
	if err == nil {
		var p *noise.Proposal
		if p, err = r.propose(ctx, given); err == nil {
			f.differs = !p.Within()
			f.text = func(volume int) string {
				if volume < 0 {
					return p.Spec()
				}
				return p.Text()
			}
		}
	}
	return r.conclude("tolerance", f, err, stdout, stderr)
}

// propose does what the request asks for.
func (r *toleranceRequest) propose(ctx context.Context, given []string) (*noise.Proposal, error) {
	model, subjects, err := r.subjects(given)
	if err != nil {
		return nil, err
	}
	first := subjects[0]
	reference, err := backends.RunIn(ctx, first.Engine, first.Model, first.Inputs)
	if err != nil {
		return nil, err
	}
	var others []backends.Engine
	for _, s := range subjects[1:] {
		others = append(others, s.Engine)
	}
	p, err := noise.Propose(ctx, reference, r.rule.Bars(), others)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model.Name(), err)
	}
	return p, nil
}

// subjects is the one model in each of the engines that were named, or in ONNX Runtime.
func (r *running) subjects(given []string) (*loaders.Model, []backends.Subject, error) {
	if len(given) != 1 {
		return nil, nil, fmt.Errorf("want one model, got %d: %s", len(given), strings.Join(given, " "))
	}
	if err := r.check("--onnxrt"); err != nil {
		return nil, nil, err
	}
	runners := r.engines.Given()
	if len(runners) == 0 {
		runners = []string{"--onnxrt"}
	}
	model := loaders.ONNX(given[0])
	if err := model.Load(); err != nil {
		return nil, nil, err
	}
	inputs := r.inputs.Inputs(model)
	var subjects []backends.Subject
	for _, runner := range runners {
		s, err := r.engines.Subject(runner, model, inputs, r.inputs.Shapes())
		if err != nil {
			return nil, nil, err
		}
		subjects = append(subjects, s)
	}
	return model, subjects, nil
}
