package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/relations/search"
)

// searchRequest is the parsed command line of `modelparity search`.
type searchRequest struct {
	running
	outputs
	rule   compareflags.Flags
	search search.Options
	save   string
}

// budget parses the time limit of a search.
func budget(text string) (time.Duration, error) {
	d, err := values.Duration(text)
	if err == nil && d == 0 {
		err = errors.New("the time limit must be greater than 0")
	}
	return d, err
}

func (r *searchRequest) sections() []section {
	own := part("Search", arguments.Spelled("--budget DURATION",
		arguments.Value(budget, &r.search.Budget)),
		arguments.Spelled("--trials N", arguments.Value(arguments.AtLeast(1), &r.search.Trials)),
		arguments.Spelled("--search-seed N", arguments.Each(arguments.AtLeast(0),
			func(n int) { r.search.Seed = uint64(n) })),
		arguments.Spelled("--sizes N ...", arguments.Values(arguments.AtLeast(1), &r.search.Sizes)),
		arguments.Spelled("--save-found DIR", arguments.Text(&r.save)).On(files.Writes))
	return r.around([]section{own, ruleSection(&r.rule), r.expected()},
		resultSection(r.reportFlags(), r.printFlags()))
}

// place registers the files that --save-found writes, so that conflicts with other files are
// detected.
func (r *searchRequest) place(account *files.Account) {
	if r.save != "" {
		account.Set("--save-found", files.Writes, search.Files(r.save)...)
	}
}

// options returns the options of the search. The default tolerances are Polygraphy's.
func (r *searchRequest) options(ctx context.Context) (options search.Options, err error) {
	options = r.search
	if r.rule.Noise() {
		options.Noise, options.Bars = true, r.rule.Bars()
	}
	options.Rule.Checks, err = r.rule.One(ctx, "search")
	return options, err
}

// inputNotes returns nothing. The usual note, that dynamic dimensions were taken as 1, would be
// wrong, because the search also tries other sizes.
func (*searchRequest) inputNotes() []string { return nil }

func (r *searchRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	options, err := r.options(ctx)
	if err != nil {
		return f, err
	}
	actual, expected, err := r.engines.Sides(given, &r.inputs)
	if err != nil {
		return f, err
	}
	found, err := search.Between(ctx, actual, expected, options)
	if err != nil {
		return f, err
	}
	var saved []string
	if found.Parts() && r.save != "" {
		saved, err = found.Save(r.save, actual, expected, options.Rule)
	}
	return finding{result: found, differs: found.Parts(),
		text: either(found.Headline, func() string { return found.Text() + savedText(saved) })}, err
}
