package cli

import (
	"context"
	"io"
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
	return []section{
		part("Any tool", r.writes("--output, -o OUT", "")), part("ONNX", r.edit.Editing()...),
		part("extract and insert", r.edit.Parts()...), part("sanitize", r.edit.Sanitizing()...),
		part("Folding", r.edit.Folding()...),
		part("Inputs of --force-fallback-shape-inference", r.edit.Feeding()...),
		part("prune and weights", r.edit.Weights()...), resultSection(r.printFlags()),
	}
}

func (*surgeonRequest) words() []string { return surgeon.Tools() }

// place registers the file for external data, so that conflicts with other files are detected.
func (r *surgeonRequest) place(account *files.Account) {
	account.Add("--save-external-data", files.Writes, r.edit.Data(r.Path("--output"))...)
}

func (r *surgeonRequest) inputNotes() []string { return r.edit.Notes() }

func (r *surgeonRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	if len(given) != 2 {
		return finding{}, arguments.Wanted("surgeon takes a tool ("+
			strings.Join(surgeon.Tools(), ", ")+") and a model", given)
	}
	return operated(r.edit.Operate(ctx, given[0], given[1], r.Path("--output")))
}

// operated converts the result of a surgeon command to a finding.
func operated(r surgeon.Result, err error) (finding, error) {
	return saved(err, r.Text, r.Written...)
}
