package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/runs"
)

// mergeRequest is what `modelparity data merge` is asked for, and concatRequest what
// `modelparity data concat` is.
type (
	mergeRequest  struct{ outputs }
	concatRequest struct{ outputs }
)

// dataSections are those of both.
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

// combine makes one file of several.
func (o *outputs) combine(make func(to string, from ...string) ([]string, error), given []string) (
	f finding, err error) {
	to := o.Path("--output")
	if to == "" {
		return f, errors.New("there is nowhere to write; write -o FILE")
	}
	notes, err := make(to, given...)
	return saved(err, strings.Join(notes, ""), to)
}
