// Package cli is the command modelparity: its flags, words, help texts and printed lines.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/modelparity/modelparity/internal/completion"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/sessions"
)

// The exit statuses.
const (
	equal    = 0
	differs  = 1
	unusable = 2
)

// Main runs the program's command line and gives its exit status. An interrupt ends the command.
func Main() int {
	memory.Sparing()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	done := make(chan int, 1)
	go func() { done <- execute(ctx, os.Args[1:], os.Stdout, os.Stderr) }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
		stop() // a second signal ends the process at once
	}
	select {
	case status := <-done:
		return status
	case <-time.After(patience):
		complain(os.Stderr, "interrupted")
		return unusable
	}
}

// patience is how long an interrupted command may take to say so and to clean up. What takes
// longer, such as scanning a file of gigabytes or a call into an engine, is left where it stands:
// files are written whole or not at all.
const patience = 700 * time.Millisecond

// command is one of the words that may follow "modelparity".
type command struct {
	name    string
	summary string
	execute func(ctx context.Context, args []string, stdout, stderr io.Writer) int
	tools   []command // of a command that is several
	flags   func() []completion.Flag
}

// commands lists them, in the order of the help.
func commands() []command {
	return []command{
		asked[runRequest]("run", "run a model and compare what its runs give", ""),
		asked[compareRequest]("compare", "compare two saved runs", "compare takes two saved runs"),
		asked[convertRequest]("convert", "build a TensorRT engine, or write an ONNX file anew",
			"convert runs nothing"),
		asked[locateRequest]("locate", "find the first tensor and node where two runs part",
			"locate only reports where two sides part"),
		asked[toleranceRequest]("tolerance", "propose tolerances that rounding alone explains",
			"tolerance proposes tolerances and is given none"),
		asked[repairRequest]("repair", "find the nodes of a model that must stay in float32",
			"repair judges sets of nodes"),
		asked[twinRequest]("twin", "find engines that compute in less than float32, by integers",
			"the twin's outputs are held to equality"),
		asked[voteRequest]("vote", "run a model on several engines and name the one that stands apart",
			"vote takes the settings of an engine behind its flag, such as --onnxrt level=none"),
		asked[relationsRequest]("relations", "hold a model to itself: batch, rows, repetition, threads",
			"relations holds a model to itself"),
		asked[decodeRequest]("decode", "hold a language model's decoder to another, token by token",
			"decode takes tokens by --tokens"),
		asked[searchRequest]("search", "look for the inputs that part two engines or models",
			"search makes the inputs itself"),
		asked[reduceRequest]("reduce", "shrink a failing model to what still fails",
			"reduce writes the smallest part that still fails"),
		asked[cutRequest]("cut", "cut a part out of a model, with its inputs recorded",
			"cut only writes a part of a model"),
		asked[surgeonRequest]("surgeon", "change an ONNX file: extract, insert, sanitize, prune, weights",
			"surgeon runs nothing"),
		asked[goldenRequest]("golden", "review, accept, verify and clear away golden files",
			"golden looks after files and runs no model"),
		asked[reportRequest]("report", "make a page of reports, or merge those of shards",
			"report reads reports and runs no model"),
		tools("check", "judge saved results again, or look a model over",
			asked[accuracyRequest]("check accuracy", "judge saved results again by other tolerances",
				"check accuracy judges what was saved"),
			asked[lintRequest]("check lint", "look a model over for what keeps it from running",
				"check lint compares nothing")),
		tools("data", "put saved inputs and outputs together",
			asked[mergeRequest]("data merge", "make inputs of the tensors of several files", dataOnly),
			asked[mergeRequest]("data to-input", "the same, as Polygraphy 0.49 called it", dataOnly),
			asked[concatRequest]("data concat", "join the iterations of several files", dataOnly)),
		tools("debug", "shrink a failing model, raise layers, or repeat what fails now and then",
			asked[reduceRequest]("debug reduce", "the same as reduce", "reduce writes the smallest part"),
			asked[precisionRequest]("debug precision", "find layers that need float32", "it judges layers"),
			asked[buildRequest]("debug build", "build an engine again and again, and judge each",
				"debug build builds engines, and --check judges them"),
			asked[repeatRequest]("debug repeat", "run a command again and again, and sort what it leaves",
				"debug repeat runs the command of --check")),
		asked[templateRequest]("template", "write a spec for a model, in Go",
			"template writes a spec, which is yours to change"),
		asked[inspectRequest]("inspect", "show a model, a saved run, or what differs between two models",
			"inspect only shows what is there"),
		{"setup", "fetch ONNX Runtime's library", setupCommand, nil,
			func() []completion.Flag { return completable(setupFlags()) }},
		{"doctor", "say what is found on this machine", doctorCommand, nil, nil},
		{"version", "print the version", versionCommand, nil, nil},
		{"completion", "print what makes bash, zsh or fish complete", completionCommand, nil, nil},
	}
}

// dataOnly is what the words of data do in place of running.
const dataOnly = "data puts saved files together"

// execute is the whole program, and gives its exit status. What cannot be printed was not said: a
// command whose output is lost has not done what it was asked for.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	printed := &watched{to: stdout}
	sessions.Shared.Off() // idle sessions would only hold memory for longer
	status := dispatch(ctx, args, printed, stderr)
	if printed.err != nil {
		complain(stderr, "standard output: %v", printed.err)
		return unusable
	}
	return status
}

// watched is a writer that remembers its first error.
type watched struct {
	to  io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// dispatch finds the command and executes it.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		overview(stderr)
		return unusable
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) > 1 {
			words := 2
			for _, c := range commands() {
				if c.name == args[1] && len(c.tools) > 0 {
					words = min(3, len(args))
				}
			}
			return dispatch(ctx, slices.Concat(args[1:words], []string{"--help"}, args[words:]), stdout,
				stderr)
		}
		overview(stdout)
		return equal
	case "--version":
		return versionCommand(ctx, nil, stdout, stderr)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.execute(ctx, args[1:], stdout, stderr)
		}
	}
	hint, known := elsewhere[args[0]]
	if !known {
		hint = "modelparity help lists the commands"
	}
	complain(stderr, "unknown command %q; %s", args[0], hint)
	return unusable
}

// elsewhere is what to write in place of commands of Polygraphy's.
var elsewhere = map[string]string{
	"plugin": "--plugins loads the plugins of TensorRT",
	"multi-device": "models are not divided among devices here; --provider-options and " +
		"--openvino-device choose one",
}

// complain prints one line about what is wrong.
func complain(stderr io.Writer, format string, args ...any) {
	fmt.Fprintf(stderr, "modelparity: "+format+"\n", args...)
}
