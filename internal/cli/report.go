package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/modelparity/modelparity/internal/cli/merge"
	"github.com/modelparity/modelparity/internal/reportfile"
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
		return f, errors.New("no reports given; name JSON reports, or run \"report merge\"")
	}
	merges, example := given[0] == "merge", "report.html"
	if merges {
		example = "all.json"
	}
	to, err := r.target(example)
	if err != nil {
		return f, err
	}
	var text bytes.Buffer
	if merges {
		all, err := reportfile.ReadAll(ctx, given[1:])
		if err != nil {
			return f, err
		}
		merged, err := merge.Files(all...)
		if err == nil {
			err = reportfile.Write(&text, merged.All())
		}
		if err != nil {
			return f, err
		}
		f = finding{differs: !merged.Whole(), text: func(int) string { return merged.Text() }}
		return f, writeWhole(to, text.Bytes())
	}
	if err := pages.Write(ctx, &text, given...); err != nil {
		return f, err
	}
	return saved(writeWhole(to, text.Bytes()), "", to)
}
