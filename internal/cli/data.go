package cli

import (
	"context"
	"errors"
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
	to, err := r.joined()
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
	to, err := r.joined()
	if err != nil {
		return f, err
	}
	return saved(runs.Concat(ctx, to, given...), "", to)
}

// joined returns the path from --output, to which the joined data is written. A missing path is an
// error.
func (r *dataRequest) joined() (to string, err error) {
	if to = r.Path("--output"); to == "" {
		err = errors.New("the output is missing; add -o FILE")
	}
	return to, err
}
