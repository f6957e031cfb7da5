package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/locate/vote"
)

// voteRequest is what `modelparity vote` is asked for.
type voteRequest struct {
	outputs
	inputs  inputflags.Flags
	rule    compareflags.Flags
	engines []backends.Engine // in the order of their flags
	shallow bool              // do not look inside the model
	process engineflags.Isolation
}

// voteSections are the flags of vote as the help shows them.
func voteSections() []section[voteRequest] {
	engines := section[voteRequest]{title: "Engines"}
	for _, e := range engineflags.Engines() {
		arity, value, text := arguments.Any, "SETTING", "ENGINE"
		if e.IsProgram() {
			if arity, value, text = arguments.One, e.Usage(), "PROGRAM"; value == "" {
				arity = arguments.None
			}
		}
		engines.flags = append(engines.flags, arguments.Flag[voteRequest]{Name: e.Flag,
			Arity: arity, Value: value, Text: text, File: engineFiles[e.Flag],
			Repeats: true,
			Fill:    []string{"{title}", e.Title, "{settings}", e.Usage()},
			Apply: func(r *voteRequest, words []string) error {
				engine, err := e.With(words...)
				r.engines = append(r.engines, engine)
				return err
			}})
	}
	for _, usage := range []string{"--use-subprocess", "--subprocess-memory SIZE",
		"--subprocess-timeout SECONDS"} {
		name, _, _ := strings.Cut(usage, " ")
		engines.flags = append(engines.flags, arguments.Spelled(usage,
			func(r *voteRequest, words []string) error { return r.process.Set(name, words...) }))
	}
	where := section[voteRequest]{"Where", []arguments.Flag[voteRequest]{arguments.Spelled(
		"--no-locate", arguments.Set(func(r *voteRequest) *bool { return &r.shallow }))}}
	return []section[voteRequest]{engines, where,
		inputSection(func(r *voteRequest) *inputflags.Flags { return &r.inputs }),
		comparisonSection(func(r *voteRequest) *compareflags.Flags { return &r.rule }),
		resultSection(func(r *voteRequest) *outputs { return &r.outputs }, reportFlags, printFlags)}
}

// voteFlags are all flags of `modelparity vote`.
func voteFlags() []arguments.Flag[voteRequest] {
	return flagsOf("vote takes the settings of an engine behind its flag, such as --onnxrt level=none",
		voteSections())
}

// voteCommand is `modelparity vote`.
func voteCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r voteRequest
	given, err := read(&r, voteFlags(), args)
	if r.help {
		help(stdout, "vote", voteSections()...)
		return equal
	}
	var found *vote.Report
	if err == nil {
		found, err = r.vote(ctx, given)
	}
	f := finding{report: reportOf("vote", found)}
	if found != nil {
		f.differs = !found.Unanimous()
		f.text = func(volume int) string {
			if volume >= 0 {
				return found.Text()
			}
			return found.Headline() + "\n"
		}
	}
	status := r.conclude("vote", f, err, stdout, stderr)
	if status == equal && len(r.engines) > 0 && len(found.Refused()) > 0 {
		refused := found.Refused()[0]
		complain(stderr, "vote: %s did not run the model: %s", refused.Name, refused.Refused)
		return unusable
	}
	return status
}

// vote does what the request asks for.
func (r *voteRequest) vote(ctx context.Context, given []string) (*vote.Report, error) {
	if len(given) != 1 {
		return nil, fmt.Errorf("want one model, got %d: %s", len(given), strings.Join(given, " "))
	}
	rule, err := perceptive(ctx, &r.rule).Options()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.inputs.Check(), r.process.Check()); err != nil {
		return nil, err
	}
	model, err := new(engineflags.Flags).Model(given[0])
	if err != nil {
		return nil, err
	}
	engines, err := engineflags.Voters(model, r.engines)
	if err != nil {
		return nil, err
	}
	engines = slices.Clone(engines)
	for i, e := range engines {
		engines[i] = r.process.Of(e)
	}
	if _, err := model.Inputs(); err != nil { // before every engine says so
		return nil, err
	}
	return vote.Among(ctx, model, r.inputs.Inputs(model),
		vote.Options{Compare: rule, Locate: !r.shallow}, engines...)
}
