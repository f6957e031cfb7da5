package cli

import (
	"context"
	"errors"
	"io"

	"github.com/modelparity/modelparity/internal/cli/merge"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/report/pages"
)

// reportRequest is the parsed command line of `modelparity report`.
type reportRequest struct{ outputs }

func (r *reportRequest) sections() []section {
	return []section{part("Flags", r.writes("--output, -o FILE", "")), resultSection(r.printFlags())}
}

func (*reportRequest) words() []string { return []string{"merge"} }

func (r *reportRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	if len(given) == 0 {
		return f, errors.New(`no reports given; name JSON reports, or merge shards with "report merge"`)
	}
	if given[0] == "merge" {
		return r.merge(ctx, given[1:])
	}
	to, err := r.target("report.html")
	if err != nil {
		return f, err
	}
	return saved(wholefile.Write(to, func(w io.Writer) error {
		return pages.Write(ctx, w, given...)
	}), "", to)
}

// merge merges the reports of shards.
func (r *reportRequest) merge(ctx context.Context, given []string) (f finding, err error) {
	to, err := r.target("all.json")
	if err != nil {
		return f, err
	}
	all, err := reportfile.ReadAll(ctx, given)
	if err != nil {
		return f, err
	}
	merged, err := merge.Files(all...)
	if err != nil {
		return f, err
	}
	f = finding{differs: !merged.Whole(), text: func(int) string { return merged.Text() }}
	return f, wholefile.Write(to, func(w io.Writer) error {
		return reportfile.Write(w, merged.All())
	})
}
