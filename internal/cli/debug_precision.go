package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// precisionRequest is the parsed command line of `modelparity debug precision`.
type precisionRequest struct {
	running
	outputs
	rule   compareflags.Flags
	judge  locate.JudgeCommand
	search precision.Layers
	lower  []string // the flags of lower precisions
}

func (r *precisionRequest) sections() []section {
	searching := part("Searching", slices.Concat(r.layerFlags(), candidateFlags(&r.judge))...)
	return append([]section{searching, part("Judging by --check", judgeFlags(&r.judge)...)},
		lowerSections(&r.running, &r.rule, r.printFlags())...)
}

// layerFlags returns Polygraphy's flags that control the search.
func (r *precisionRequest) layerFlags() []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--mode MODE", eitherOf("bisect", "linear", &r.search.Linear)),
		arguments.Spelled("--dir, --direction END",
			eitherOf("forward", "reverse", &r.search.Reverse)),
		arguments.Spelled("--precision, -p TYPE", func(words []string) (err error) {
			r.search.Higher, err = tensor.ParseElementType(words[0])
			if higher := r.search.Higher; err == nil && higher != tensor.Float32 &&
				higher != tensor.Float16 {
				err = fmt.Errorf("unknown precision %q: want float32 or float16", words[0])
			}
			return err
		}),
		r.lowerFlag(precision.FP16), r.lowerFlag(precision.BF16), r.lowerFlag(precision.INT8),
	}
}

// eitherOf returns a function that parses one of two words. It sets *isSecond to true for the
// second word and to false for the first.
func eitherOf(first, second string, isSecond *bool) func([]string) error {
	return func(words []string) error {
		word := strings.ToLower(words[0])
		*isSecond = word == second
		return values.Choice(word, first, second)
	}
}

func (r *precisionRequest) lowerFlag(format precision.Format) arguments.Flag {
	name := "--" + string(format)
	return arguments.Spelled(name, func(_ []string) error {
		r.lower, r.search.Format = append(r.lower, name), format
		return nil
	})
}

// place registers the files of the model that is judged in each step, so that conflicts with other
// files are detected.
func (r *precisionRequest) place(account *files.Account) {
	r.search.File = made(&r.judge, r.engines.Builds())
	account.Set("--iter-artifact", files.Writes, r.search.File, r.search.File+".data")
}

func (r *precisionRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	r.search.Rule, err = r.rule.Options(ctx)
	subjects, wrong := r.engines.Lowering(given, "--trt", r.lower, &r.inputs)
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
	text := found.Text()
	if !r.engines.Builds() && strings.Contains(text, "--layer-precisions") {
		text += keptNote(given[0], r.search.Format)
	}
	return finding{differs: !found.Found, text: headed(text)}, nil
}
