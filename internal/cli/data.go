package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/runs"
)

// mergeRequest and concatRequest are the parsed command lines of `modelparity data merge` and
// `modelparity data concat`.
type (
	mergeRequest  struct{ outputs }
	concatRequest struct{ outputs }
)

// dataSections are the flags of both commands.
func dataSections[R any](of func(*R) *outputs) []section[R] {
	return []section[R]{part("Flags", of, append([]arguments.Flag[outputs]{
		writes("--output, -o FILE", "")}, printFlags...)...)}
}

func (*mergeRequest) sections() []section[mergeRequest] {
	return dataSections(func(r *mergeRequest) *outputs { return &r.outputs })
}

func (r *mergeRequest) do(_ context.Context, given []string, _ io.Writer) (finding, error) {
	return r.combine(runs.MergeTo, given)
}

func (*concatRequest) sections() []section[concatRequest] {
	return dataSections(func(r *concatRequest) *outputs { return &r.outputs })
}

func (r *concatRequest) do(_ context.Context, given []string, _ io.Writer) (finding, error) {
	return r.combine(runs.ConcatTo, given)
}

// combine writes one file from several.
func (o *outputs) combine(make func(to string, from ...string) ([]string, error), given []string) (
	f finding, err error) {
	to := o.Path("--output")
	if to == "" {
		return f, errors.New("the output is missing; add -o FILE")
	}
	notes, err := make(to, given...)
	return saved(err, strings.Join(notes, ""), to)
}
