package cli

import (
	"context"
	"errors"
	"io"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/precision"
)

// precisionRequest is the parsed command line of `modelparity debug precision`.
type precisionRequest struct {
	running
	outputs
	rule   compareflags.Flags
	judge  locate.JudgeCommand
	search precision.Layers
}

func (*precisionRequest) sections() []section[precisionRequest] {
	judge := func(r *precisionRequest) *locate.JudgeCommand { return &r.judge }
	searching := part("Searching", func(r *precisionRequest) *precision.Layers { return &r.search },
		arguments.Taken[precision.Layers]("--mode MODE", "--dir, --direction END",
			"--precision, -p TYPE", "--fp16", "--bf16", "--int8")...)
	searching.flags = append(searching.flags, arguments.Lift(judge, candidateFlags)...)
	return append([]section[precisionRequest]{searching, part("Judging by --check", judge,
		judgeFlags...)}, lowerSections(func(r *precisionRequest) *running { return &r.running },
		func(r *precisionRequest) *compareflags.Flags { return &r.rule },
		func(r *precisionRequest) *outputs { return &r.outputs })...)
}

// place registers the candidate's files.
func (r *precisionRequest) place(account *files.Account) error {
	r.search.File = made(&r.judge, r.engines.Builds())
	account.Set("--iter-artifact", files.Writes, r.search.File, r.search.File+".data")
	return nil
}

func (r *precisionRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	r.search.Rule, err = r.rule.Options()
	subjects, wrong := r.engines.Lowering(given, "--trt", r.search.Lower, &r.inputs)
	if err = errors.Join(wrong, err); err != nil {
		return f, err
	}
	if len(r.judge.Args) > 0 {
		r.search.Check, r.search.Tolerances = r.judge.Judge, r.rule.Asked()
	}
	r.search.Progress = r.lines(stderr)
	found, err := r.search.Find(ctx, subjects)
	if err != nil {
		return beyond(err)
	}
	return finding{differs: !found.Found, text: func(int) string { return found.Text() }}, nil
}
