package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
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

func (*convertRequest) sections() []section[convertRequest] {
	engines := func(r *convertRequest) *engineflags.Flags { return &r.engines }
	outputs := func(r *convertRequest) *outputs { return &r.outputs }
	engine := part("Engine", outputs, writes("--save-engine, -o, --output ENGINE", ""))
	engine.flags = append(engine.flags,
		arguments.Spelled("--convert-to TYPE", func(r *convertRequest, words []string) error {
			r.to = words[0]
			return values.Choice(words[0], "trt", "onnx")
		}))
	engine.flags = append(engine.flags, arguments.Lift(engines,
		engineFlags("--model-type TYPE", "--engine-capability CAPABILITY"))...)
	return []section[convertRequest]{
		engine, editSection(func(r *convertRequest) *surgeon.Flags { return &r.edit }),
		part("TensorRT", engines, append(engineFlags("--trt"), builderFlags...)...),
		markSection(func(r *convertRequest) *loaders.Selection { return &r.marks }),
		inputSection(func(r *convertRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(outputs, printFlags),
	}
}

// place adds the file with the external data to the account of files.
func (r *convertRequest) place(account *files.Account) error {
	account.Add("--save-external-data", files.Writes, r.edit.Data(r.Path("--save-engine"))...)
	return nil
}

func (r *convertRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	out := r.Path("--save-engine")
	if r.to == "onnx" || r.to == "" && strings.EqualFold(filepath.Ext(out), ".onnx") {
		if err := r.engines.Check(); err != nil {
			return f, err
		}
		if len(given) != 1 {
			return f, fmt.Errorf("convert takes one model, got %q", given)
		}
		return operated(r.edit.Convert(ctx, given[0], r.marks, out))
	}
	if r.edit.Given() {
		return f, errors.New("flags of ONNX files need -o OUT.onnx or --convert-to onnx")
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
