package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/failures"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
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

func (*reduceRequest) sections() []section[reduceRequest] {
	running := func(r *reduceRequest) *running { return &r.running }
	outputs := func(r *reduceRequest) *outputs { return &r.outputs }
	reducing := part("Reducing", outputs, writes("--output, -o OUT", ""))
	reducing.flags = append(reducing.flags,
		arguments.Spelled("--mode MODE", func(r *reduceRequest, words []string) error {
			r.search.Linear = words[0] == "linear"
			return values.Choice(words[0], "bisect", "linear")
		}),
		arguments.Spelled("--replay, --load-debug-replay, --save-debug-replay FILE",
			arguments.Text(func(r *reduceRequest) *string { return &r.replay })).On(files.Updates),
		arguments.Spelled("--min-good, --minimal-good FILE",
			arguments.Text(func(r *reduceRequest) *string { return &r.good })).On(files.Writes),
		arguments.Spelled("--save-test-data DIR",
			arguments.Text(func(r *reduceRequest) *string { return &r.tests })).On(files.Writes),
		arguments.Spelled("--no-reduce-inputs",
			arguments.Set(func(r *reduceRequest) *bool { return &r.search.KeepInputs })),
		arguments.Spelled("--no-reduce-outputs",
			arguments.Set(func(r *reduceRequest) *bool { return &r.search.KeepOutputs })),
		arguments.Spelled("--model-input-shapes, --model-inputs INPUT:[D0,D1] ...",
			arguments.Each(values.Shape, func(r *reduceRequest, shape values.Named[[]int]) {
				r.engines.FixInput(shape)
			})))
	reducing.flags = append(reducing.flags, anyway[reduceRequest](
		"--force-fallback-shape-inference", "--no-shape-inference")...)
	judge := func(r *reduceRequest) *locate.JudgeCommand { return &r.judge }
	reducing.flags = append(reducing.flags, arguments.Lift(judge, candidateFlags)...)
	runners, tensorrt := runnerSections(running)
	sections := append([]section[reduceRequest]{reducing,
		part("Judging by --check", judge, judgeFlags...), expectedSection(running)}, runners...)
	return append(sections,
		inputSection(func(r *reduceRequest) *inputflags.Flags { return &r.inputs }),
		comparisonSection(func(r *reduceRequest) *compareflags.Flags { return &r.rule }),
		resultSection(outputs, printFlags), tensorrt)
}

// judgeFlags define the user's command that judges models. Everything after --check is part of that
// command.
var judgeFlags = append([]arguments.Flag[locate.JudgeCommand]{
	arguments.Spelled("--check COMMAND ...",
		arguments.Texts(func(k *locate.JudgeCommand) *[]string { return &k.Args })).Last(),
}, arguments.Needing([]string{"--check"},
	arguments.Spelled("--fail-code, --fail-returncode N ...",
		statuses(func(k *locate.JudgeCommand) *[]int { return &k.FailCodes })),
	arguments.Spelled("--ignore-fail-code, --ignore-fail-returncode N ...",
		statuses(func(k *locate.JudgeCommand) *[]int { return &k.IgnoreFailCodes })),
	arguments.Spelled("--fail-regex REGEX ...",
		arguments.Texts(func(k *locate.JudgeCommand) *[]string { return &k.FailRegexes })),
	arguments.Spelled("--artifacts FILE ...",
		arguments.Texts(func(k *locate.JudgeCommand) *[]string { return &k.Artifacts })).On(files.Writes),
	arguments.Spelled("--artifacts-dir, --art-dir DIR",
		arguments.Text(func(k *locate.JudgeCommand) *string { return &k.ArtifactsDir })).On(files.Writes),
	arguments.Spelled("--iter-info, --iteration-info FILE",
		arguments.Text(func(k *locate.JudgeCommand) *string { return &k.Info })).On(files.Writes),
	arguments.Spelled("--hide-fail-output",
		arguments.Set(func(k *locate.JudgeCommand) *bool { return &k.Quiet })),
	anyway[locate.JudgeCommand]("--show-output")[0],
)...)

// candidateFlags name the file to which each candidate is written.
var candidateFlags = []arguments.Flag[locate.JudgeCommand]{
	arguments.Spelled("--iter-artifact, --intermediate-artifact FILE",
		arguments.Text(func(k *locate.JudgeCommand) *string { return &k.File })).On(files.Writes),
	arguments.Spelled("--no-remove-intermediate",
		arguments.Set(func(k *locate.JudgeCommand) *bool { return &k.Keep })),
}

// anyway returns flags of Polygraphy that have no effect here, because they ask for what reduce
// always does.
func anyway[R any](names ...string) (list []arguments.Flag[R]) {
	for _, name := range names {
		list = append(list, arguments.Flag[R]{Name: name,
			Apply: func(*R, []string) error { return nil }})
	}
	return list
}

// statuses returns a function that parses exit statuses and appends them to a field.
func statuses(of func(*locate.JudgeCommand) *[]int) func(*locate.JudgeCommand, []string) error {
	return arguments.Each(atLeast(0),
		func(k *locate.JudgeCommand, n int) { *of(k) = append(*of(k), n) })
}

// place registers the candidates, and the files that are written next to the results, for the
// conflict check.
func (r *reduceRequest) place(account *files.Account) error {
	out := r.Path("--output")
	if out == "/dev/stdout" && r.Piped() {
		return errors.New("--output -: reduce writes several files, which standard output cannot " +
			"hold; give a path")
	}
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
	return nil
}

// where returns the paths of the files that the reduction writes.
func (r *reduceRequest) where() failures.ReduceFiles {
	return failures.ReduceFiles{Model: r.Path("--output"), Good: r.good, Verdicts: r.replay,
		TestData: r.tests}
}

func (r *reduceRequest) do(ctx context.Context, files []string, stderr io.Writer) (
	found finding, err error) {
	if r.Path("--output") == "" {
		return found, errors.New("the output is missing; add -o OUT.onnx")
	}
	failure, err := r.failure(ctx, files)
	if err != nil {
		return found, err
	}
	defer failure.Close()
	options := r.search
	if r.volume >= 0 {
		options.Progress = func(s locate.Step) { fmt.Fprintln(stderr, s) }
	}
	reduced, written, err := failure.ReduceTo(ctx, r.where(), options)
	if err != nil {
		return found, err
	}
	found.text = func(int) string {
		text := reduced.Text() + savedText(written)
		if r.good != "" && reduced.Good == nil {
			text += "no part passed; --min-good was not written\n"
		}
		if failure.LeavesOut() {
			text += "the spec lacks options that cannot be written in Go; its comments name them\n"
		}
		return text
	}
	return found, nil
}

// failure returns the failure that the reduced model must keep: the verdict of a command, or a
// difference between two sides.
func (r *reduceRequest) failure(ctx context.Context, files []string) (*failures.Failure, error) {
	if len(r.judge.Args) > 0 {
		if len(files) != 1 {
			return nil, fmt.Errorf("--check takes one model, got %d", len(files))
		}
		subject, err := r.engines.Only(files[0], &r.inputs) // records values only; the command judges
		if err != nil {
			return nil, err
		}
		return failures.Judged(subject, &r.judge)
	}
	rule, err := perceptive(ctx, &r.rule).Options()
	if err != nil {
		return nil, err
	}
	actual, expected, err := r.engines.Sides(files, &r.inputs)
	if err != nil {
		return nil, err
	}
	return failures.Differing(ctx, actual, expected, rule)
}
