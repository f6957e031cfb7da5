package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/relations/search"
)

// searchRequest is what `modelparity search` is asked for.
type searchRequest struct {
	running
	outputs
	rule    compareflags.Flags
	options search.Options
	save    string
}

// searchSections are the flags of search as the help shows them.
func searchSections() []section[searchRequest] {
	of := func(r *searchRequest) *running { return &r.running }
	runners, tensorrt := runnerSections(of)
	own := section[searchRequest]{"Search", []arguments.Flag[searchRequest]{
		arguments.Spelled("--budget DURATION", func(r *searchRequest, words []string) (err error) {
			r.options.Budget, err = time.ParseDuration(words[0])
			if err != nil || r.options.Budget <= 0 {
				return fmt.Errorf("%q is not a time; write 60s, or 5m", words[0])
			}
			return nil
		}),
		arguments.Spelled("--trials N", func(r *searchRequest, words []string) (err error) {
			r.options.Trials, err = values.Count(words[0], 1)
			return err
		}),
		arguments.Spelled("--search-seed N", func(r *searchRequest, words []string) error {
			n, err := values.Count(words[0], 0)
			r.options.Seed = uint64(n)
			return err
		}),
		arguments.Spelled("--sizes N ...", arguments.Each(
			func(text string) (int, error) { return values.Count(text, 1) },
			func(r *searchRequest, n int) { r.options.Sizes = append(r.options.Sizes, n) })),
		arguments.Spelled("--edits",
			arguments.Set(func(r *searchRequest) *bool { return &r.options.Edits })),
		arguments.Spelled("--save-found DIR",
			arguments.Text(func(r *searchRequest) *string { return &r.save })).On(files.Writes),
	}}
	rule := part("Comparison", func(r *searchRequest) *compareflags.Flags { return &r.rule },
		append(arguments.Taken[compareflags.Flags]("--atol, --abs-tol [OUTPUT:]X ...",
			"--rtol, --rel-tol [OUTPUT:]X ...", "--check-error-stat [OUTPUT:]STAT ..."),
			noiseFlags...)...)
	return append(append([]section[searchRequest]{own, rule}, runners...), expectedSection(of),
		inputSection(func(r *searchRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(func(r *searchRequest) *outputs { return &r.outputs }, reportFlags, printFlags),
		tensorrt)
}

// place notes the files of --save-found.
func (r *searchRequest) place(account *files.Account) error {
	if r.save != "" {
		account.Set("--save-found", files.Writes, search.Files(r.save)...)
	}
	return nil
}

// searchFlags are all flags of `modelparity search`.
func searchFlags() []arguments.Flag[searchRequest] {
	return flagsOf("search makes the inputs itself", searchSections())
}

// searchCommand is `modelparity search`.
func searchCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r searchRequest
	given, err := read(&r, searchFlags(), args)
	if r.help {
		help(stdout, "search", searchSections()...)
		return equal
	}
	var found *search.Found
	var saved []string
	if err == nil {
		found, saved, err = r.search(ctx, given)
	}
	f := finding{report: reportOf("comparison", found)}
	if found != nil {
		f.differs = found.Parts()
		f.text = func(volume int) string {
			if volume < 0 {
				return found.Headline() + "\n"
			}
			return found.Text() + savedText(saved)
		}
	}
	return r.conclude("search", f, err, stdout, stderr)
}

// search does what the request asks for.
func (r *searchRequest) search(ctx context.Context, given []string) (*search.Found, []string,
	error) {
	rule, err := r.judge()
	if err != nil {
		return nil, nil, err
	}
	actual, expected, err := r.engines.Sides(given, &r.inputs)
	if err != nil {
		return nil, nil, err
	}
	found, err := search.Between(ctx, actual, expected, rule)
	if err != nil || !found.Parts() || r.save == "" {
		return found, nil, err
	}
	saved, err := found.Save(r.save, actual, expected, rule.Rule)
	return found, saved, err
}

// judge is the options with the rule: Polygraphy's own tolerances where none are given.
func (r *searchRequest) judge() (search.Options, error) {
	o := r.options
	if r.rule.Noise() {
		o.Noise, o.Bars = true, r.rule.Bars()
	}
	options, err := r.rule.Options()
	o.Rule.Checks = options.Checks
	if err == nil && len(options.PerOutput) > 0 {
		err = errors.New("search holds all outputs to one rule; give the tolerance without the name " +
			"of an output")
	}
	return o, err
}
