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

var voteSections = []section[request]{
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
	var r request
	given, err := r.parse(allVoteFlags(), args, false)
	if r.help {
		help(stdout, "vote", voteSections...)
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
	case r.volume == verdictOnly:
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
	rule, err := r.comparison.Options()
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
