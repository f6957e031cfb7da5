// Package cli implements the command modelparity: its flags, its help texts and what it prints.
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

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/internal/terminal"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// The exit statuses.
const (
	equal    = 0
	differs  = 1
	unusable = 2
)

// Main runs the process's command line and returns its exit status. SIGINT and SIGTERM cancel the
// command's context; a second signal kills the process.
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
		wholefile.Abandon()
	}
	select {
	case status := <-done:
		return status
	case <-time.After(patience):
		complain(os.Stderr, "interrupted")
		return unusable
	}
}

// patience is the time that an interrupted command gets to print its error and clean up. After that
// the process exits, even if it is in the middle of scanning a large file or calling an engine. No
// file is left half-written, because files are replaced atomically and [wholefile.Abandon] removes
// the unfinished ones.
const patience = 700 * time.Millisecond

// command is one command of modelparity, such as run, or a subcommand, such as "debug build".
type command struct {
	name    string
	summary string
	execute func(ctx context.Context, args []string, stdout, stderr io.Writer) int
	tools   []command // subcommands, if it has any
	flags   func() []arguments.Flag
}

// commands returns all commands in the order of the help.
func commands() []command {
	return []command{
		newCommand[runRequest]("run", "run a model and compare its runs"),
		newCommand[compareRequest]("compare", "compare two saved runs"),
		newCommand[convertRequest]("convert", "build a TensorRT engine, or rewrite an ONNX file"),
		newCommand[locateRequest]("locate", "find the first tensor and node where two runs diverge"),
		newCommand[toleranceRequest]("tolerance", "propose tolerances from measured rounding noise"),
		newCommand[repairRequest]("repair", "find the nodes of a model that must stay in float32"),
		newCommand[twinRequest]("twin",
			"find engines less precise than float32, by sums that float32 computes exactly"),
		newCommand[voteRequest]("vote", "run a model on several engines and name the odd one out"),
		newCommand[bisectRequest]("bisect", "find the first bad release of ONNX Runtime"),
		newCommand[relationsRequest]("relations", "check a model against itself: batch, rows, threads"),
		newCommand[decodeRequest]("decode", "compare two runs of a decoder, token by token"),
		newCommand[searchRequest]("search", "search for inputs on which two engines or models differ"),
		newCommand[mutateRequest]("mutate", "count the planted faults that a test suite detects"),
		newCommand[reduceRequest]("reduce", "shrink a failing model to its smallest failing part"),
		newCommand[cutRequest]("cut", "cut a part out of a model and record its inputs"),
		newCommand[surgeonRequest]("surgeon",
			"change an ONNX file: extract, insert, sanitize, prune, weights"),
		newCommand[goldenRequest]("golden", "review, accept and verify golden files"),
		newCommand[reportRequest]("report", "make a page of reports, or merge the reports of shards"),
		tools("check", "judge saved results again, or check a model's validity",
			newCommand[accuracyRequest]("check accuracy", "judge saved results by other tolerances"),
			newCommand[lintRequest]("check lint", "check whether a model is valid and runs")),
		tools("data", "merge and join saved inputs and outputs",
			newCommand[mergeRequest]("data merge", "merge the tensors of several files into inputs"),
			newCommand[mergeRequest]("data to-input", "the same as data merge, for Polygraphy 0.49"),
			newCommand[concatRequest]("data concat", "join the iterations of several files")),
		tools("debug", "shrink a failing model, find imprecise layers, or repeat a command",
			newCommand[reduceRequest]("debug reduce", "the same as reduce"),
			newCommand[precisionRequest]("debug precision", "find layers that need float32"),
			newCommand[buildRequest]("debug build", "build an engine repeatedly, and judge each one"),
			newCommand[repeatRequest]("debug repeat",
				"run a command repeatedly, and sort its output files into good and bad")),
		newCommand[templateRequest]("template", "write a spec for a model, in Go"),
		newCommand[inspectRequest]("inspect",
			"show a model, a saved run, or what differs between two models"),
		{"setup", "download engines and lock their versions", setupCommand, nil, new(setupRequest).flags},
		{"doctor", "list the engines found on this machine", doctorCommand, nil, nil},
		{"version", "print the version", versionCommand, nil, nil},
		{"completion", "print completion scripts for bash or zsh", completionCommand, nil, nil},
	}
}

// execute runs the whole program and returns its exit status. If a write to standard output fails,
// the command fails.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, complaints := terminal.NewEscaped(stdout, args...), terminal.NewEscaped(stderr, args...)
	sessions.Shared.Off() // idle sessions would only use memory
	status := dispatch(ctx, args, out, complaints)
	_ = complaints.Flush() // nothing could report a failure
	if err := out.Flush(); err != nil {
		complain(stderr, "standard output: %v", err)
		return unusable
	}
	return status
}

// dispatch finds the command that the arguments name and runs it.
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

// elsewhere maps each command that Polygraphy has and modelparity lacks to a hint about what to use
// instead.
var elsewhere = map[string]string{
	"plugin": "--plugins loads TensorRT plugins",
	"multi-device": "modelparity cannot split a model across devices; --provider-options and " +
		"--openvino-device choose the device",
}

// complain prints an error on one line.
func complain(stderr io.Writer, format string, args ...any) {
	fmt.Fprintf(stderr, "modelparity: "+format+"\n", args...)
}
