package main

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/locate"
)

// locateRequest is what `modelparity locate` is asked for.
type locateRequest struct {
	running
	outputs
	rule       compareflags.Flags
	cumulative bool  // leave the nodes alone out
	memory     int64 // bytes; 0 is the default
	table      bool  // print every tensor
	origin     bool  // of NaN and infinities, in place of a divergence
}

// locateSections are the flags of locate as the help shows them.
func locateSections() []section[locateRequest] {
	running := func(r *locateRequest) *running { return &r.running }
	where := section[locateRequest]{"Where", []arguments.Flag[locateRequest]{
		arguments.Spelled("--no-isolate",
			arguments.Set(func(r *locateRequest) *bool { return &r.cumulative })),
		arguments.Spelled("--table", arguments.Set(func(r *locateRequest) *bool { return &r.table })),
		arguments.Spelled("--non-finite",
			arguments.Set(func(r *locateRequest) *bool { return &r.origin })),
		arguments.Spelled("--memory MIB", func(r *locateRequest, words []string) error {
			n, err := values.Count(words[0], 1)
			r.memory = int64(n) << 20
			return err
		}),
	}}
	runners, tensorrt := runnerSections(running)
	return append(append([]section[locateRequest]{where, expectedSection(running)}, runners...),
		inputSection(func(r *locateRequest) *inputflags.Flags { return &r.inputs }),
		comparisonSection(func(r *locateRequest) *compareflags.Flags { return &r.rule }),
		resultSection(func(r *locateRequest) *outputs { return &r.outputs }, reportFlags, printFlags),
		tensorrt)
}

// locateFlags are all flags of `modelparity locate`.
func locateFlags() []arguments.Flag[locateRequest] {
	return flagsOf("locate only reports where two sides part", locateSections())
}

// locateCommand is `modelparity locate`.
func locateCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r locateRequest
	given, err := read(&r, locateFlags(), args)
	if r.help {
		help(stdout, "locate", locateSections()...)
		return equal
	}
	if r.origin && err == nil {
		f, err := r.nonFinite(ctx, given)
		if err != nil {
			f.report = reportOf("nonfinite", nil)
		}
		return r.conclude("locate", f, err, stdout, stderr)
	}
	var found *locate.Finding
	if err == nil {
		r.loud(stderr, r.volume)
		found, err = r.locate(ctx, given, stderr)
	}
	return r.conclude("locate", r.finding(found), err, stdout, stderr)
}

// locate does what the request asks for.
func (r *locateRequest) locate(ctx context.Context, files []string, stderr io.Writer) (
	*locate.Finding, error) {
	options, err := perceptive(ctx, &r.rule).Options()
	if err != nil {
		return nil, err
	}
	actual, expected, err := r.engines.Sides(files, &r.inputs)
	if err != nil {
		return nil, err
	}
	search := locate.Options{Compare: options, Isolate: !r.cumulative, Memory: r.memory}
	if r.volume >= 0 {
		tell, wipe := bar(stderr)
		search.Progress = tell
		defer wipe()
	}
	return locate.Divergence(ctx, actual, expected, search)
}

// finding shows what was located, also by a search that was stopped.
func (r *locateRequest) finding(found *locate.Finding) finding {
	f := finding{report: reportOf("divergence", found)}
	if found == nil {
		return f
	}
	f.differs = found.First != nil || found.Verdict == compare.Fail
	f.text = func(volume int) string {
		switch {
		case volume >= 0 && r.table:
			return found.Table() + "\n"
		case volume >= 0:
			return found.Text() + "\n"
		}
		return found.Cause + "\n"
	}
	return f
}
