package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// locating is what only locate and reduce ask for.
type locating struct {
	cumulative bool  // leave the nodes alone out
	memory     int64 // bytes; 0 is the default
	table      bool  // print every tensor
	// expected is ONNX Runtime's options on the expected side, where they differ.
	session   []ort.Option
	providers []string
}

// otherSession reports whether the expected side has options of its own.
func (l *locating) otherSession() bool { return len(l.session)+len(l.providers) > 0 }

// locateFlags are the flags of locate alone.
var locateFlags = []flag{
	arguments.Spelled("--no-isolate",
		arguments.Set(func(r *request) *bool { return &r.locating.cumulative })),
	arguments.Spelled("--table", arguments.Set(func(r *request) *bool { return &r.locating.table })),
	arguments.Spelled("--memory MIB", func(r *request, words []string) error {
		n, err := values.Count(words[0], 1)
		r.locating.memory = int64(n) << 20
		return err
	}),
}

// sideFlags make the expected side another one.
var sideFlags = []flag{
	arguments.Spelled("--expected-graph-optimization-level LEVEL",
		arguments.Each(optimizationLevel, func(r *request, o ort.Option) {
			r.locating.session = append(r.locating.session, o)
		})),
	arguments.Spelled("--expected-providers PROVIDER ...",
		arguments.Texts(func(r *request) *[]string { return &r.locating.providers })),
}

var locateSections = []section[request]{
	{"Where", locateFlags},
	{"Expected side", sideFlags},
	{"Runners", runnerFlags},
	{"Inputs", inputFlags},
	{"Comparison", comparisonFlags},
	{"Results", resultFlags},
	{"TensorRT", engineFlags},
}

// allLocateFlags are all flags of `modelparity locate`.
func allLocateFlags() []flag {
	return slices.Concat(locateFlags, sideFlags, runnerFlags, inputFlags, comparisonFlags, resultFlags,
		engineFlags, knownFlags())
}

// locateCommand is `modelparity locate`.
func locateCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
	given, err := r.parse(allLocateFlags(), args, false)
	if r.help {
		help(stdout, "locate", locateSections...)
		return equal
	}
	var found *locate.Finding
	if err == nil {
		found, err = r.locate(ctx, given)
	}
	if r.report != "" {
		if wrong := writeLocated(r.report, found, err); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--report: %w", wrong))
		}
	}
	stdout = r.printed(stdout, stderr)
	if err != nil {
		if found != nil && r.volume >= 0 { // what a search that was stopped found so far
			fmt.Fprintln(stdout, found.Text())
		}
		complain(stderr, "locate: %v", err)
		return unusable
	}
	switch {
	case r.volume >= 0 && r.locating.table:
		fmt.Fprintln(stdout, found.Table())
	case r.volume >= 0:
		fmt.Fprintln(stdout, found.Text())
	case r.volume == verdictOnly:
		fmt.Fprintln(stdout, found.Cause)
	}
	if found.First != nil || found.Verdict == compare.Fail {
		return differs
	}
	return equal
}

// locate does what the request asks for.
func (r *request) locate(ctx context.Context, files []string) (*locate.Finding, error) {
	options, err := r.comparison.Options()
	if err != nil {
		return nil, err
	}
	actual, expected, err := r.sides(files)
	if err != nil {
		return nil, err
	}
	return locate.Divergence(ctx, actual, expected, locate.Options{Compare: options,
		Isolate: !r.locating.cumulative, Memory: r.locating.memory})
}

// sides are the two that are held to each other: what differs is the model, the engine, or its
// options.
func (r *request) sides(files []string) (actual, expected backends.Subject, err error) {
	if len(files) == 0 || len(files) > 2 {
		return actual, expected, fmt.Errorf("want one model, or ACTUAL and EXPECTED, got %d: %s",
			len(files), strings.Join(files, " "))
	}
	runners := r.runners
	switch {
	case len(runners) == 0:
		runners = []string{"--onnxrt", "--onnxrt"}
	case len(runners) == 1:
		runners = []string{runners[0], runners[0]}
	case len(runners) > 2:
		return actual, expected, fmt.Errorf("two sides are compared, got %d runners: %s",
			len(runners), strings.Join(runners, " "))
	}
	if len(files) == 1 && runners[0] == runners[1] && !r.locating.otherSession() {
		return actual, expected, errors.New("both sides are one model in one engine; name a " +
			"second model, or another engine (--trt --onnxrt), or options of the expected side " +
			"such as --expected-graph-optimization-level none")
	}
	model := loaders.ONNX(files[0])
	other := model
	if len(files) == 2 {
		other = loaders.ONNX(files[1])
	}
	inputs := r.inputs(model)
	right := *r
	if r.locating.otherSession() {
		right.session = slices.Concat(r.session, r.locating.session)
		if len(r.locating.providers) > 0 {
			right.providers, right.providerOptions = r.locating.providers, nil
		}
	}
	if actual, err = r.subject(runners[0], model, inputs); err == nil {
		expected, err = right.subject(runners[1], other, inputs)
	}
	return actual, expected, err
}

// writeLocated writes the report of locate as JSON, or the error that kept it from being made.
func writeLocated(path string, found *locate.Finding, problem error) error {
	var content any = found
	if problem != nil {
		content = compare.Unusable("divergence", problem)
	}
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(text, '\n'))
}
