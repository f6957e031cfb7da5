package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/vote"
)

const voteUsage = `Usage: modelparity vote MODEL [ENGINE ...] [FLAG ...]

Runs a model on several engines, on the very same inputs, and says which of them stands apart: each
pair is held to one rule, output by output, and the engine that differs from a majority is named,
with the node of the model where it leaves the others. Without an engine all on this machine vote.

One engine may vote under several settings, which stand behind its flag:

  modelparity vote net.onnx
  modelparity vote net.onnx --onnxrt --openvino --tract --atol 1e-4
  modelparity vote net.onnx --onnxrt --onnxrt level=none --openvino precision=bfloat16 --tract fp16
  modelparity vote net.onnx --onnxrt --onnxrt level=none \
    --onnxrt providers=cuda+cpu --onnxrt providers=cuda+cpu level=none --no-locate

The exit status is 0 where all agree, 1 where somebody differs, and 2 where a named engine did not
run the model.
`

var voteSections = []section{
	{"Engines", candidateFlags()},
	{"Where", voteFlags},
	{"Inputs", inputFlags},
	{"Comparison", comparisonFlags},
	{"Results", resultFlags},
}

// allVoteFlags are all flags of `modelparity vote`.
func allVoteFlags() []flag {
	return slices.Concat(candidateFlags(), voteFlags, inputFlags, comparisonFlags, resultFlags)
}

// voteCommand is `modelparity vote`.
func voteCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := newRequest()
	given, err := r.parse(allVoteFlags(), args, false)
	if r.help {
		help(stdout, voteUsage, voteSections)
		return equal
	}
	var found *vote.Report
	named := len(r.voting.engines) > 0
	if err == nil {
		found, err = r.vote(ctx, given)
	}
	if r.report != "" {
		if wrong := writeVote(r.report, found, err); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--report: %w", wrong))
		}
	}
	if err != nil {
		complain(stderr, "%v", err)
		return unusable
	}
	stdout = r.printed(stdout, stderr)
	switch {
	case r.volume >= 0:
		fmt.Fprint(stdout, found.Text())
	case r.volume == -1:
		fmt.Fprintln(stdout, found.Headline())
	}
	switch refused := found.Refused(); {
	case !found.Unanimous():
		return differs
	case named && len(refused) > 0:
		complain(stderr, "vote: %s did not run the model: %s", refused[0].Name, refused[0].Refused)
		return unusable
	}
	return equal
}

// vote does what the request asks for.
func (r *request) vote(ctx context.Context, given []string) (*vote.Report, error) {
	if len(given) != 1 {
		return nil, fmt.Errorf("vote: want one model, got %d: %s", len(given), strings.Join(given, " "))
	}
	rule, err := r.comparison()
	if err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	engines := r.voting.engines
	if len(engines) == 0 {
		if engines, err = present(); err != nil {
			return nil, fmt.Errorf("vote: %w", err)
		}
	}
	model := loaders.ONNX(given[0])
	if err := model.Load(); err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	return vote.Among(ctx, model, r.inputs(model),
		vote.Options{Compare: rule, Locate: !r.voting.outputs}, engines...)
}

// writeVote writes what a vote found as JSON, or the error that kept it from being taken.
func writeVote(path string, found *vote.Report, problem error) error {
	var content any = found
	if problem != nil {
		content = compare.Unusable("vote", problem)
	}
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(text, '\n'))
}
