package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/failures"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/locate"
)

// reduceRequest is the parsed command line of `modelparity reduce`.
type reduceRequest struct {
	running
	outputs
	rule   compareflags.Flags
	judge  locate.JudgeCommand
	good   string // path for a part that passes
	tests  string // folder for an ONNX model test
	replay string
	search locate.ReduceOptions // how to search
}

func (r *reduceRequest) sections() []section {
	reducing := part("Reducing", r.writes("--output, -o OUT", ""),
		arguments.Spelled("--mode MODE", eitherOf("bisect", "linear", &r.search.Linear)),
		arguments.Spelled("--replay, --load-debug-replay, --save-debug-replay FILE",
			arguments.Text(&r.replay)).On(files.Updates),
		arguments.Spelled("--min-good, --minimal-good FILE", arguments.Text(&r.good)).On(files.Writes),
		arguments.Spelled("--save-test-data DIR", arguments.Text(&r.tests)).On(files.Writes),
		arguments.Spelled("--no-reduce-inputs", arguments.Set(&r.search.KeepInputs)),
		arguments.Spelled("--no-reduce-outputs", arguments.Set(&r.search.KeepOutputs)),
		arguments.Spelled("--model-input-shapes, --model-inputs INPUT:[D0,D1] ...",
			arguments.Each(values.Shape, r.engines.FixInput)),
		anyway("--force-fallback-shape-inference"), anyway("--no-shape-inference"))
	reducing.flags = append(reducing.flags, candidateFlags(&r.judge)...)
	return r.around([]section{reducing, part("Judging by --check", judgeFlags(&r.judge)...),
		r.expected()}, part("Comparison", r.rule.List()...), resultSection(r.printFlags()))
}

// judgeFlags returns the flags for the user's command, which judges models. Everything after
// --check is part of that command.
func judgeFlags(judge *locate.JudgeCommand) []arguments.Flag {
	return append([]arguments.Flag{
		arguments.Spelled("--check COMMAND ...", arguments.Texts(&judge.Args)).Last(),
	}, arguments.Needing([]string{"--check"},
		arguments.Spelled("--fail-code, --fail-returncode N ...",
			arguments.Values(arguments.AtLeast(0), &judge.FailCodes)),
		arguments.Spelled("--ignore-fail-code, --ignore-fail-returncode N ...",
			arguments.Values(arguments.AtLeast(0), &judge.IgnoreFailCodes)),
		arguments.Spelled("--fail-regex REGEX ...", arguments.Each(regexp.Compile,
			func(r *regexp.Regexp) { judge.FailRegexes = append(judge.FailRegexes, r.String()) })),
		arguments.Spelled("--artifacts FILE ...",
			arguments.Texts(&judge.Artifacts)).On(files.Writes),
		arguments.Spelled("--artifacts-dir, --art-dir DIR",
			arguments.Text(&judge.ArtifactsDir)).On(files.Writes),
		arguments.Spelled("--iter-info, --iteration-info FILE",
			arguments.Text(&judge.Info)).On(files.Writes),
		arguments.Spelled("--hide-fail-output", arguments.Set(&judge.Quiet)),
		anyway("--show-output"),
	)...)
}

// candidateFlags returns the flags for the candidate: the model or engine that the user's command
// judges.
func candidateFlags(judge *locate.JudgeCommand) []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--iter-artifact, --intermediate-artifact FILE",
			arguments.Text(&judge.File)).On(files.Writes),
		arguments.Spelled("--no-remove-intermediate", arguments.Set(&judge.Keep)),
	}
}

// anyway returns a flag of Polygraphy that has no effect, because it asks for what reduce always
// does.
func anyway(name string) arguments.Flag {
	return arguments.Spelled(name, func([]string) error { return nil })
}

// place registers the models that are tried, and the files that are written next to the results, so
// that conflicts with other files are detected.
func (r *reduceRequest) place(account *files.Account) {
	out := r.Path("--output")
	for flag, path := range map[string]string{"--output": out, "--min-good": r.good} {
		if path != "" {
			account.Add(flag, files.Writes, failures.DataFiles(path)...)
		}
	}
	if r.tests != "" {
		model := filepath.Join(r.tests, "model.onnx")
		account.Set("--save-test-data", files.Writes, r.tests, model, model+".data")
		account.Below("--save-test-data", r.tests, "test_data_set_[0-9]*/*.pb")
	}
	if out != "" && r.replay == "" {
		account.Add("--replay", files.Updates, r.where().VerdictsFile())
	}
	if len(r.judge.Args) > 0 {
		candidate := r.judge.Candidate()
		account.Set("--iter-artifact", files.Writes, candidate)
		account.Add("--iter-artifact", files.Writes, failures.DataFiles(candidate)...)
	}
}

// where returns the paths of the files that the reduction writes.
func (r *reduceRequest) where() failures.ReduceFiles {
	return failures.ReduceFiles{Model: r.Path("--output"), Good: r.good, Verdicts: r.replay,
		TestData: r.tests}
}

func (r *reduceRequest) do(ctx context.Context, files []string, stderr io.Writer) (
	found finding, err error) {
	out, err := r.target("OUT.onnx")
	if err != nil {
		return found, err
	}
	if out == "/dev/stdout" && r.Piped() {
		return found, errors.New("--output -: reduce writes several files, so it cannot write to " +
			"standard output; name a file for the model, and the other files are written next to it")
	}
	failure, err := r.failure(ctx, files)
	if err != nil {
		return found, err
	}
	defer failure.Close()
	if r.volume >= 0 {
		r.search.Progress = func(s locate.Step) {
			s.Err = r.named(s.Err)
			fmt.Fprintln(stderr, s)
		}
	}
	reduced, written, err := failure.ReduceTo(ctx, r.where(), r.search)
	if err != nil {
		return found, err
	}
	found.text = func(int) string {
		text := reduced.Text() + savedText(written)
		if r.good != "" && reduced.Good == nil {
			text += "no part passed, so --min-good was not written\n"
		}
		if failure.LeavesOut() {
			text += "the spec lacks options that cannot be written in Go; its comments name them\n"
		}
		return text
	}
	return found, nil
}

// failure returns the failure that the reduced model must still have: either a command rejects the
// model, or two sides differ.
func (r *reduceRequest) failure(ctx context.Context, files []string) (*failures.Failure, error) {
	if len(r.judge.Args) > 0 {
		// The engine only records values, so the search must go on even if a part makes it crash.
		if err := r.engines.Set("--use-subprocess"); err != nil {
			return nil, err
		}
		subject, err := r.engines.Only(files, &r.inputs)
		if err != nil {
			return nil, err
		}
		return failures.Judged(subject, &r.judge)
	}
	rule, err := r.rule.Options(ctx)
	if err != nil {
		return nil, err
	}
	actual, expected, err := r.engines.Sides(files, &r.inputs)
	if err != nil {
		return nil, err
	}
	return failures.Differing(ctx, actual, expected, rule)
}
