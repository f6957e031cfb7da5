package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/failures"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// repeatRequest is the parsed command line of `modelparity debug repeat`.
type repeatRequest struct {
	outputs
	judge locate.JudgeCommand
	until failures.Until
}

func (r *repeatRequest) sections() []section {
	judging := part("Judging by --check", append(judgeFlags(&r.judge),
		arguments.Spelled("--until WHEN", arguments.Value(failures.ParseUntil, &r.until)))...)
	return []section{judging, resultSection(r.printFlags())}
}

func (r *repeatRequest) do(ctx context.Context, given []string, stderr io.Writer) (finding, error) {
	if len(given) > 0 {
		return finding{}, fmt.Errorf("unknown argument %q; write the command after --check", given[0])
	}
	return r.repeat(ctx, "", nil, stderr)
}

// repeat alternates between calling produce, which creates a file, and running the user's command,
// which judges that file. It stops when the condition of --until is met.
func (r *repeatRequest) repeat(ctx context.Context, file string,
	produce func(context.Context) error, stderr io.Writer) (f finding, err error) {
	if len(r.judge.Args) == 0 {
		return f, errors.New("--check is missing; end the command line with --check and a command")
	}
	done, err := failures.Repeat(ctx, &r.judge, file, r.until, produce, r.lines(stderr))
	if done != (failures.Repeated{}) {
		f.text = func(int) string { return done.Text() }
	}
	return f, err
}

// buildRequest is the parsed command line of `modelparity debug build`.
type buildRequest struct {
	running
	repeatRequest
	marks loaders.Selection
}

func (r *buildRequest) sections() []section {
	sections := append([]section{
		part("Engine", append(r.engines.Build(), candidateFlags(&r.judge)...)...), r.builder(),
		markSection(&r.marks), part("Inputs", r.inputs.List()...)}, r.repeatRequest.sections()...)
	for _, s := range sections {
		for i, f := range s.flags { // one file may be both saved and sorted
			if f.Name == "--save-tactics" || f.Name == "--artifacts" {
				s.flags[i].Shared = "artifact"
			}
		}
	}
	return sections
}

// place registers the file of the built engine, so that conflicts with other files are detected.
func (r *buildRequest) place(account *files.Account) {
	account.Set("--iter-artifact", files.Writes, made(&r.judge, true))
}

// made returns the path of the engine or model that the user's --check command judges. A new engine
// or model is written to this path before each judgement.
func made(judge *locate.JudgeCommand, engine bool) string {
	if judge.File == "" && engine {
		return "polygraphy_debug.engine" // as in Polygraphy
	}
	return judge.Candidate()
}

func (r *buildRequest) do(ctx context.Context, given []string, stderr io.Writer) (finding, error) {
	r.engines.NoCache()
	s, err := r.engines.ToBuild(given, made(&r.judge, true), r.marks, &r.inputs)
	if err != nil {
		return finding{}, err
	}
	return r.repeat(ctx, made(&r.judge, true), func(ctx context.Context) error {
		engine, err := s.Engine.Open(ctx, s.Model, s.Inputs)
		if err != nil {
			return err
		}
		return engine.Close()
	}, stderr)
}
