package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// convertRequest is the parsed command line of `modelparity convert`.
type convertRequest struct {
	running
	outputs
	marks loaders.Selection
	edit  surgeon.Flags
	to    string
}

func (r *convertRequest) sections() []section {
	engine := part("Engine", r.writes("--save-engine, -o, --output ENGINE", ""),
		arguments.Spelled("--convert-to TYPE", func(words []string) error {
			r.to = words[0]
			return values.Choice(words[0], "trt", "onnx")
		}))
	engine.flags = append(engine.flags, r.engines.Build()...)
	return []section{engine, part("ONNX", r.edit.Editing()...), r.builder(),
		markSection(&r.marks), part("Inputs", r.inputs.List()...), resultSection(r.printFlags())}
}

// place registers the file for external data, so that conflicts with other files are detected.
func (r *convertRequest) place(account *files.Account) {
	account.Add("--save-external-data", files.Writes, r.edit.Data(r.Path("--save-engine"))...)
}

func (r *convertRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	out := r.Path("--save-engine")
	if r.to == "onnx" || r.to == "" && strings.EqualFold(filepath.Ext(out), ".onnx") {
		if err := r.engines.Check(); err != nil {
			return f, err
		}
		if len(given) != 1 {
			return f, arguments.Wanted("convert takes one model", given)
		}
		return operated(r.edit.Convert(ctx, given[0], r.marks, out))
	}
	if r.edit.Given() {
		return f, errors.New("flags that change an ONNX model need an ONNX output; write -o OUT.onnx " +
			"or --convert-to onnx")
	}
	s, err := r.engines.ToBuild(given, out, r.marks, &r.inputs)
	if err != nil {
		return f, err
	}
	engine, err := s.Engine.Open(ctx, s.Model, s.Inputs)
	if err != nil {
		return f, err
	}
	return saved(engine.Close(), "", out)
}
