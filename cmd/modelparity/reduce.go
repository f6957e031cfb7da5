package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/locate"
)

// reducing is what only reduce asks for.
type reducing struct {
	output string
	mode   locate.Mode
	check  []string
	file   string
	replay string
}

const reduceUsage = `Usage: modelparity reduce MODEL [EXPECTED] -o OUT [FLAG ...] [--check COMMAND]

Shrinks a failing model to the smallest part that still fails, and writes it to OUT with its inputs
(OUT.inputs.json) and a spec that reproduces the failure. What failing means is said by a command,
whose exit status judges each candidate, or by two sides that differ beyond their tolerances: two
models, or one in two engines or with two sets of options.

The command sees each candidate as a file: {} in its arguments stands for it, {inputs} for the file
of its inputs; it is polygraphy_debug.onnx unless --iter-artifact says otherwise. --check is last.

  modelparity reduce new.onnx old.onnx -o wrong.onnx
  modelparity reduce net.onnx -o wrong.onnx --check polygraphy run {} --onnxrt --validate
`

var reduceFlags = []flag{
	{Name: "--output", Also: []string{"-o"}, Arity: arguments.One, Value: "OUT",
		File: files.Writes, Help: "Where the smallest failing model is written.",
		Apply: arguments.Text(func(r *request) *string { return &r.reducing.output })},
	{Name: "--mode", Arity: arguments.One, Value: "MODE",
		Help: "bisect halves the graph at each step, linear takes one node at a time. Default: bisect.",
		Apply: func(r *request, values []string) error {
			r.reducing.mode = locate.Mode(values[0])
			return choice(values[0], string(locate.Bisect), string(locate.Linear))
		}},
	{Name: "--iter-artifact", Also: []string{"--intermediate-artifact"}, Arity: arguments.One,
		Value: "FILE", File: files.Writes, Help: "Where each candidate is written for --check.",
		Apply: arguments.Text(func(r *request) *string { return &r.reducing.file })},
	{Name: "--replay", Also: []string{"--load-debug-replay", "--save-debug-replay"},
		Arity: arguments.One, Value: "FILE", File: files.Updates,
		Help: "Keep every verdict in FILE, and go on from it after an interruption. Default: " +
			"OUT.replay.json, which is removed when the search is over.",
		Apply: arguments.Text(func(r *request) *string { return &r.reducing.replay })},
}

var reduceSections = []section{
	{"Reducing", reduceFlags},
	{"Expected side", sideFlags},
	{"Runners", runnerFlags},
	{"Inputs", inputFlags},
	{"Comparison", comparisonFlags},
	{"Results", resultFlags},
	{"TensorRT", engineFlags},
}

// allReduceFlags are all flags of `modelparity reduce`.
func allReduceFlags() []flag {
	return slices.Concat(reduceFlags, sideFlags, runnerFlags, inputFlags, comparisonFlags, resultFlags,
		engineFlags, knownFlags())
}

// reduceCommand is `modelparity reduce`.
func reduceCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := newRequest()
	if at := slices.Index(args, "--check"); at >= 0 {
		r.reducing.check, args = args[at+1:], args[:at]
		if len(r.reducing.check) == 0 {
			complain(stderr, "reduce: --check needs a command, and comes last")
			return unusable
		}
	}
	given, err := r.parse(allReduceFlags(), args, false)
	if r.help {
		help(stdout, reduceUsage, reduceSections)
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
		return fmt.Errorf("%s is no regular file; reduce writes several: name one, and it writes the "+
			"others beside it", r.reducing.output)
	}
	defer r.release()
	failing, fails, options, spec, err := r.failure(ctx, files)
	if err != nil {
		return err
	}
	inputs := r.inputs(failing.Model)
	options.Replay = r.replayFile()
	options.Mode = r.reducing.mode
	options.Progress = func(s locate.Step) { r.progress(stderr, s) }
	reduced, err := locate.Reduce(ctx, failing, inputs, fails, options)
	if err != nil {
		return err
	}
	written, err := reduced.Save(r.reducing.output, spec)
	if err != nil {
		return err
	}
	if r.reducing.replay == "" {
		if err := wholefile.Remove(options.Replay); err != nil {
			return err
		}
	}
	if r.volume >= -1 {
		fmt.Fprintf(stdout, "%d of %d nodes still fail, found in %d runs:\n", len(reduced.Nodes),
			reduced.Before, reduced.Tried)
		for _, n := range reduced.Nodes {
			fmt.Fprintf(stdout, "  node %d: %s %q: %s → %s\n", n.Index, n.Op, n.Name,
				strings.Join(n.Inputs, ", "), strings.Join(n.Outputs, ", "))
		}
		for _, file := range written {
			fmt.Fprintf(stdout, "saved %s\n", file)
		}
		if silent := r.trt.silent(); len(silent) > 0 {
			fmt.Fprintf(stdout, "the spec does not say %s: give its engine these options\n",
				strings.Join(silent, ", "))
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
	if s.Replayed {
		verdict += " (replayed)"
	}
	fmt.Fprintf(stderr, "%4d nodes: %s\n", s.Nodes, verdict)
}

// failure is what is looked for: by a command, or by two sides that differ.
func (r *request) failure(ctx context.Context, files []string) (failing locate.Side,
	fails locate.Fails, options locate.ReduceOptions, spec locate.Spec, err error) {
	if len(r.reducing.check) > 0 {
		if len(files) != 1 {
			return failing, nil, options, spec, fmt.Errorf("with --check there is one model, got %d",
				len(files))
		}
		// The sides differ in nothing: one of them records, the command judges.
		failing, _, _, err = r.sides(ctx, []string{files[0], files[0]})
		check := locate.Check{Args: r.reducing.check, File: r.reducing.file}
		return failing, check.Fails, options, locate.Spec{Command: r.reducing.check}, err
	}
	rule, err := r.comparison()
	if err != nil {
		return failing, nil, options, spec, err
	}
	actual, expected, _, err := r.sides(ctx, files)
	if err != nil {
		return failing, nil, options, spec, err
	}
	options.Recorder = expected
	spec, err = r.reproduction(rule)
	if len(files) == 2 {
		spec.ExpectedModel = expected.Model
	}
	return actual, locate.Differs(actual, expected, rule), options, spec, err
}

// reproduction is the spec that says what the flags say, as far as flags have a word in Go.
func (r *request) reproduction(rule compare.Options) (locate.Spec, error) {
	spec := locate.Spec{Actual: locate.Engine{Name: "ort"}, Expected: locate.Engine{Name: "ort"}}
	for i, runner := range r.runners {
		if runner != "--trt" {
			continue
		}
		if i == 0 {
			spec.Actual.Name = "trt"
		}
		if i == 1 || len(r.runners) == 1 {
			spec.Expected.Name = "trt"
		}
	}
	for _, engine := range []*locate.Engine{&spec.Actual, &spec.Expected} {
		if engine.Name == "trt" {
			engine.Options = strings.Join(r.trt.words(), ", ")
		}
	}
	atol, rtol, ok := rule.Checks[0].Tolerances()
	if !ok {
		return spec, fmt.Errorf("reduce judges by atol and rtol, got %v", rule.Checks[0])
	}
	spec.Atol, spec.Rtol, spec.Stat = atol, rtol, goStat(rule.Checks[0].Stat())
	return spec, nil
}

// inGo is the flags that decide which type TensorRT computes in, as package trt has them.
var inGo = map[string]string{"--fp16": "trt.FP16()", "--bf16": "trt.BF16()",
	"--fp8": "trt.FP8()", "--tf32": "trt.TF32()", "--strongly-typed": "trt.StronglyTyped()"}

// words is what a spec can say of the flags.
func (t *tensorrt) words() (words []string) {
	for _, flag := range t.given {
		if word, ok := inGo[flag]; ok {
			words = append(words, word)
		}
	}
	return words
}

// silent is the flags that a spec cannot say.
func (t *tensorrt) silent() (flags []string) {
	for _, flag := range t.given {
		if _, ok := inGo[flag]; !ok && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// goStat is the statistic's name in package matchers.
func goStat(stat compare.Stat) string {
	text := string(stat)
	return strings.ToUpper(text[:1]) + text[1:]
}
