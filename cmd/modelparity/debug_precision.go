package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/precision"
)

// precisionRequest is what `modelparity debug precision` is asked for.
type precisionRequest struct {
	running
	outputs
	rule   compareflags.Flags
	judge  locate.JudgeCommand
	search precision.Layers
}

func (*precisionRequest) sections() []section[precisionRequest] {
	searching := part("Searching", func(r *precisionRequest) *precision.Layers { return &r.search },
		arguments.Taken[precision.Layers]("--mode MODE", "--dir, --direction END",
			"--precision, -p TYPE", "--fp16", "--bf16", "--int8")...)
	searching.flags = append(searching.flags, arguments.Spelled(
		"--iter-artifact, --intermediate-artifact FILE",
		arguments.Text(func(r *precisionRequest) *string { return &r.judge.File })).On(files.Writes))
	searching.flags = append(searching.flags, anyway[precisionRequest]("--no-remove-intermediate")...)
	return append([]section[precisionRequest]{searching, part("Judging by --check",
		func(r *precisionRequest) *locate.JudgeCommand { return &r.judge }, judgeFlags...)},
		lowerSections(func(r *precisionRequest) *running { return &r.running },
			func(r *precisionRequest) *compareflags.Flags { return &r.rule },
			func(r *precisionRequest) *outputs { return &r.outputs })...)
}

// place notes where what is judged is written.
func (r *precisionRequest) place(account *files.Account) error {
	if given := r.engines.Given(); len(given) == 0 || slices.Contains(given, "--trt") {
		r.judge.File = cmp.Or(r.judge.File, "polygraphy_debug.engine")
	}
	r.search.File = r.judge.Candidate()
	account.Set("--iter-artifact", files.Writes, r.search.File, r.search.File+".data")
	return nil
}

func (r *precisionRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	r.search.Rule, err = r.rule.Options()
	subjects, wrong := r.engines.Lowering(given, r.search.Lower, &r.inputs)
	if err = errors.Join(wrong, err); err != nil {
		return f, err
	}
	if len(r.judge.Args) > 0 {
		r.search.Check, r.search.Tolerances = r.judge.Judge, r.rule.Asked()
	}
	if r.volume >= 0 {
		r.search.Progress = func(line string) { fmt.Fprintln(stderr, line) }
	}
	found, err := r.search.Find(ctx, subjects)
	if err != nil {
		return beyond(err)
	}
	return finding{differs: !found.Found, text: func(int) string { return found.Text() }}, nil
}
