package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// reducing is what only reduce asks for.
type reducing struct {
	output string
	mode   locate.Strategy
	judge  locate.JudgeCommand
	good   string // where a part that passes goes
	replay string
}

var reduceFlags = []flag{
	arguments.Spelled("--output, -o OUT",
		arguments.Text(func(r *request) *string { return &r.reducing.output })).On(files.Writes),
	arguments.Spelled("--mode MODE", func(r *request, words []string) error {
		r.reducing.mode = locate.Strategy(words[0])
		return values.Choice(words[0], string(locate.Bisect), string(locate.Linear))
	}),
	arguments.Spelled("--iter-artifact, --intermediate-artifact FILE",
		arguments.Text(func(r *request) *string { return &r.reducing.judge.File })).On(files.Writes),
	arguments.Spelled("--replay, --load-debug-replay, --save-debug-replay FILE",
		arguments.Text(func(r *request) *string { return &r.reducing.replay })).On(files.Updates),
	arguments.Spelled("--min-good, --minimal-good FILE",
		arguments.Text(func(r *request) *string { return &r.reducing.good })).On(files.Writes),
}

// judgeFlags say how --check judges.
var judgeFlags = []flag{
	arguments.Spelled("--fail-code, --fail-returncode N ...",
		statuses(func(r *request) *[]int { return &r.reducing.judge.FailCodes })),
	arguments.Spelled("--ignore-fail-code, --ignore-fail-returncode N ...",
		statuses(func(r *request) *[]int { return &r.reducing.judge.IgnoreFailCodes })),
	arguments.Spelled("--fail-regex REGEX ...",
		arguments.Texts(func(r *request) *[]string { return &r.reducing.judge.FailRegexes })),
	arguments.Spelled("--artifacts FILE ...",
		arguments.Texts(func(r *request) *[]string { return &r.reducing.judge.Artifacts })).
		On(files.Writes),
	arguments.Spelled("--artifacts-dir, --art-dir DIR",
		arguments.Text(func(r *request) *string { return &r.reducing.judge.ArtifactsDir })).
		On(files.Writes),
}

// statuses reads exit statuses.
func statuses(field func(*request) *[]int) func(*request, []string) error {
	return arguments.Each(func(text string) (int, error) { return values.Count(text, 0) },
		func(r *request, n int) { *field(r) = append(*field(r), n) })
}

var reduceSections = []section[request]{
	{"Reducing", reduceFlags},
	{"Judging by --check", judgeFlags},
	{"Expected side", sideFlags},
	{"Runners", runnerFlags},
	{"Inputs", inputFlags},
	{"Comparison", comparisonFlags},
	{"Results", resultFlags},
	{"TensorRT", engineFlags},
}

// allReduceFlags are all flags of `modelparity reduce`.
func allReduceFlags() []flag {
	return slices.Concat(reduceFlags, judgeFlags, sideFlags, runnerFlags, inputFlags, comparisonFlags,
		resultFlags, engineFlags, knownFlags())
}

// reduceCommand is `modelparity reduce`.
func reduceCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
	if at := slices.Index(args, "--check"); at >= 0 {
		r.reducing.judge.Args, args = args[at+1:], args[:at]
		if len(r.reducing.judge.Args) == 0 {
			complain(stderr, "reduce: --check needs a command, and comes last")
			return unusable
		}
	}
	given, err := r.parse(allReduceFlags(), args, false)
	if r.help {
		help(stdout, "reduce", reduceSections...)
		return equal
	}
	if err == nil {
		err = r.reduce(ctx, given, stdout, stderr)
	}
	if err != nil {
		complain(stderr, "reduce: %v", err)
		return unusable
	}
	return equal
}

// reduce does what the request asks for.
func (r *request) reduce(ctx context.Context, files []string, stdout, stderr io.Writer) error {
	switch {
	case r.reducing.output == "":
		return errors.New("there is nowhere to write the result; write -o OUT.onnx")
	case wholefile.IsStream(r.reducing.output):
		return fmt.Errorf("%s is not a regular file; reduce writes several: name one, and it writes "+
			"the others beside it", r.reducing.output)
	}
	failing, fails, options, spec, forget, err := r.failure(ctx, files)
	if err != nil {
		return err
	}
	defer forget()
	options.Verdicts = r.replayFile()
	options.Strategy = r.reducing.mode
	options.Good = r.reducing.good != ""
	options.Progress = func(s locate.Step) { r.progress(stderr, s) }
	reduced, err := locate.Reduce(ctx, failing, fails, options)
	if errors.Is(err, locate.ErrPasses) && r.reducing.replay == "" {
		err = errors.Join(err, wholefile.Remove(options.Verdicts)) // nothing is left to go on with
	}
	if err != nil {
		return err
	}
	written, err := reduced.Save(r.reducing.output, spec)
	if err != nil {
		return err
	}
	if reduced.Good != nil {
		good, err := reduced.Good.Save(r.reducing.good)
		if err != nil {
			return fmt.Errorf("--min-good: %w", err)
		}
		written = append(written, good...)
	}
	if r.reducing.replay == "" {
		if err := wholefile.Remove(options.Verdicts); err != nil {
			return err
		}
	}
	if r.volume >= verdictOnly {
		fmt.Fprintf(stdout, "%d of %d nodes still fail, found in %d runs:\n", len(reduced.Nodes),
			reduced.Before, reduced.Tried)
		for _, n := range reduced.Nodes {
			fmt.Fprintf(stdout, "  node %d: %s %q: %s → %s\n", n.Index, n.Op, n.Name,
				strings.Join(n.Inputs, ", "), strings.Join(n.Outputs, ", "))
		}
		for _, file := range written {
			fmt.Fprintf(stdout, "saved %s\n", file)
		}
		if r.reducing.good != "" && reduced.Good == nil {
			fmt.Fprintln(stdout, "no part passed, so there is nothing for --min-good")
		}
		if spec.LeavesOut() {
			fmt.Fprintln(stdout, "the spec leaves out what has no Go form: its comments name it")
		}
	}
	return nil
}

// progress tells of one candidate.
func (r *request) progress(stderr io.Writer, s locate.Step) {
	if r.volume < 0 {
		return
	}
	verdict := "passes"
	switch {
	case s.Err != nil:
		verdict = "cannot be judged: " + s.Err.Error()
	case s.Fails:
		verdict = "fails"
	}
	if s.Kept {
		verdict += " (kept)"
	}
	fmt.Fprintf(stderr, "%4d nodes: %s\n", s.Nodes, verdict)
}

// failure is what is looked for: by a command, or by two sides that differ.
func (r *request) failure(ctx context.Context, files []string) (failing backends.Subject,
	fails locate.Fails, options locate.ReduceOptions, spec locate.Spec, forget func(), err error) {
	judge := &r.reducing.judge
	if len(judge.Args) > 0 {
		if len(files) != 1 {
			return failing, nil, options, spec, nil, fmt.Errorf("with --check there is one model, got %d",
				len(files))
		}
		failing, err = r.only(files[0]) // which records; the command judges
		spec.Judge = judge
		options.Question = judge.String()
		return failing, judge.Fails, options, spec, func() {}, errors.Join(err, judge.Validate())
	}
	if len(judge.FailCodes)+len(judge.IgnoreFailCodes)+len(judge.FailRegexes)+
		len(judge.Artifacts) > 0 || judge.ArtifactsDir != "" {
		return failing, nil, options, spec, nil, errors.New("--fail-code, --ignore-fail-code, " +
			"--fail-regex, --artifacts and --artifacts-dir are for --check, which is not given")
	}
	rule, err := r.comparison.Options()
	if err != nil {
		return failing, nil, options, spec, nil, err
	}
	actual, expected, err := r.sides(files)
	if err != nil {
		return failing, nil, options, spec, nil, err
	}
	options.Recorder = expected
	options.Question = fmt.Sprintf("%s against %s, %v", actual.Engine.Text(), expected.Engine.Text(),
		rule.Checks)
	if len(files) == 2 {
		sum, err := loaders.ONNX(files[1]).SHA256()
		if err != nil {
			return failing, nil, options, spec, nil, err
		}
		options.Question += ", model " + sum
	}
	spec = locate.Spec{Actual: actual.Engine, Expected: expected.Engine, Rule: rule}
	if len(files) == 2 {
		spec.ExpectedModel, _ = expected.Model.(*loaders.Model)
	}
	if err := spec.Validate(); err != nil {
		return failing, nil, options, spec, nil, err
	}
	fails, forget, err = locate.Differs(ctx, actual, expected, rule)
	return actual, fails, options, spec, forget, err
}
