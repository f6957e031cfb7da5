package cli

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/cli/searchflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/relations/search"
)

// searchRequest is what `modelparity search` is asked for.
type searchRequest struct {
	running
	outputs
	rule   compareflags.Flags
	search searchflags.Flags
	save   string
}

// searchFlags say how long the search takes; package searchflags makes options of them.
var searchFlags = arguments.Taken[searchflags.Flags]("--budget DURATION", "--trials N",
	"--search-seed N", "--sizes N ...", "--edits")

func (*searchRequest) sections() []section[searchRequest] {
	of := func(r *searchRequest) *running { return &r.running }
	runners, tensorrt := runnerSections(of)
	own := part("Search", func(r *searchRequest) *searchflags.Flags { return &r.search },
		searchFlags...)
	own.flags = append(own.flags, arguments.Spelled("--save-found DIR",
		arguments.Text(func(r *searchRequest) *string { return &r.save })).On(files.Writes))
	rule := ruleSection(func(r *searchRequest) *compareflags.Flags { return &r.rule })
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

func (r *searchRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	options, err := r.search.Options(&r.rule)
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
	return finding{report: reportOf(r.kind(), found), differs: found.Parts(),
		text: either(found.Headline, func() string { return found.Text() + savedText(saved) })}, err
}
