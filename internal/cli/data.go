package cli

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/runs"
)

// mergeRequest and concatRequest are the parsed command lines of `modelparity data merge` and
// `modelparity data concat`.
type (
	mergeRequest  struct{ dataRequest }
	concatRequest struct{ dataRequest }
	dataRequest   struct{ outputs }
)

func (r *dataRequest) sections() []section {
	return []section{part("Flags", append([]arguments.Flag{r.writes("--output, -o FILE", "")},
		r.printFlags()...)...)}
}

func (r *mergeRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	to, err := r.target("FILE")
	if err != nil {
		return f, err
	}
	inputs, err := runs.Merge(ctx, given...)
	if err == nil {
		err = fixtures.Save(to, inputs)
	}
	return saved(err, "", to)
}

func (r *concatRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	to, err := r.target("FILE")
	if err != nil {
		return f, err
	}
	return saved(runs.Concat(ctx, to, given...), "", to)
}
