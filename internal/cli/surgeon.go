package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/files"
)

// surgeonRequest is the parsed command line of `modelparity surgeon`.
type surgeonRequest struct {
	outputs
	edit surgeon.Flags
}

func (r *surgeonRequest) sections() []section {
	taken := func(usages ...string) []arguments.Flag { return arguments.Taken(&r.edit, usages...) }
	feed := arguments.Needing([]string{"--force-fallback-shape-inference"}, append(taken(
		"--load-inputs, --load-input-data FILE ...", "--val-range [INPUT:][LOW,HIGH] ...",
		"--model-input-shapes, --model-inputs INPUT:[D0,D1] ...", "--iterations, --iters N",
		"--data-loader-backend-module MODULE"), loaderFlag(r.edit.Feed()))...)
	feed[0] = feed[0].On(files.Reads)
	list := taken("--exclude-list FILE")
	list[0] = list[0].On(files.Reads)
	return []section{
		part("Any tool", r.writes("--output, -o OUT", "")), editSection(&r.edit),
		part("extract and insert", taken("--inputs TENSOR ...", "--outputs TENSOR ...", "--op OP",
			"--name NAME", "--attrs NAME=VALUE ...")...),
		part("sanitize", taken("--override-inputs, --override-input-shapes INPUT:SHAPE ...",
			"--cleanup", "--toposort", "--fold-constants", "--num-passes, --num-const-fold-passes N",
			"--no-fold-shapes", "--fold-size-threshold SIZE", "--no-shape-inference",
			"--exclude-outputs TENSOR ...", "--outputs-by-type OPERATOR ...",
			"--set-unbounded-dds-upper-bound [TENSOR:]N ...", "--force-fallback-shape-inference")...),
		part("Folding", arguments.Needing([]string{"--fold-constants"}, taken(
			"--partitioning HOW", "--no-per-pass-shape-inference")...)...),
		part("Inputs of --force-fallback-shape-inference", feed...),
		part("prune and weights", append(taken("--channels PART", "--seed N"), list...)...),
		resultSection(r.printFlags()),
	}
}

// editSection returns the flags about reading, converting and writing a model.
func editSection(edit *surgeon.Flags) section {
	s := readingSection(edit)
	s.flags = slices.Concat(s.flags,
		arguments.Taken(edit, "--save-external-data, --external-data-path [NAME]"),
		arguments.Needing([]string{"--save-external-data"}, arguments.Taken(edit,
			"--external-data-size-threshold SIZE", "--no-save-all-tensors-to-one-file")...))
	return s
}

// readingSection returns the flags about reading and converting a model.
func readingSection(edit *surgeon.Flags) section {
	s := section{"ONNX", slices.Concat(arguments.Taken(edit,
		"--external-data-dir, --load-external-data, --ext DIR", "--ignore-external-data",
		"--shape-inference, --do-shape-inference", "--no-onnxruntime-shape-inference",
		"--fp-to-fp16"), arguments.Needing([]string{"--fp-to-fp16"},
		arguments.Taken(edit, "--keep-nodes NAME ...", "--keep-ops OPERATOR ...")...))}
	s.flags[0].File = files.Reads
	return s
}

func (*surgeonRequest) words() []string { return surgeon.Tools() }

// place registers the file for external data, for the conflict check.
func (r *surgeonRequest) place(account *files.Account) error {
	account.Add("--save-external-data", files.Writes, r.edit.Data(r.Path("--output"))...)
	return nil
}

func (r *surgeonRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	if len(given) != 2 {
		return finding{}, fmt.Errorf("surgeon takes a tool and a model, got %q; the tools are %s", given,
			strings.Join(surgeon.Tools(), ", "))
	}
	return operated(r.edit.Operate(ctx, given[0], given[1], r.Path("--output")))
}

// operated converts the result of a surgeon command to a finding.
func operated(r surgeon.Result, err error) (finding, error) {
	return saved(err, r.Text, r.Written...)
}
