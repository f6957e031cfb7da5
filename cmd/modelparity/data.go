package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
)

// mergeRequest is what `modelparity data merge` is asked for, and concatRequest what
// `modelparity data concat` is.
type (
	mergeRequest  struct{ outputs }
	concatRequest struct{ outputs }
)

// errNowhere is the error of data without a file to write.
var errNowhere = errors.New("there is nowhere to write; write -o FILE")

// dataSections are those of both.
func dataSections[R any](of func(*R) *outputs) []section[R] {
	return []section[R]{part("Flags", of, append([]arguments.Flag[outputs]{
		writes("--output, -o FILE", "")}, printFlags...)...)}
}

func (*mergeRequest) sections() []section[mergeRequest] {
	return dataSections(func(r *mergeRequest) *outputs { return &r.outputs })
}

func (r *mergeRequest) do(_ context.Context, given []string, _ io.Writer) (f finding, err error) {
	to := r.Path("--output")
	if to == "" {
		return f, errNowhere
	}
	inputs, err := golden.Merge(given...)
	if err != nil {
		return f, err
	}
	return savedOnly(to), fixtures.Save(to, inputs)
}

func (*concatRequest) sections() []section[concatRequest] {
	return dataSections(func(r *concatRequest) *outputs { return &r.outputs })
}

func (r *concatRequest) do(_ context.Context, given []string, _ io.Writer) (f finding, err error) {
	to := r.Path("--output")
	if to == "" {
		return f, errNowhere
	}
	joined, err := golden.Concat(given...)
	if err != nil {
		return f, err
	}
	f.text = func(int) string {
		text := ""
		for _, note := range joined.Notes {
			text += fmt.Sprintf("note: %s\n", note)
		}
		return text + savedText([]string{to})
	}
	return f, joined.Save(to)
}
