package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/loaders"
)

// convertRequest is what `modelparity convert` is asked for.
type convertRequest struct {
	running
	outputs
	marks loaders.Selection
}

// convertSections are the flags of convert as the help shows them.
func convertSections() []section[convertRequest] {
	engines := func(r *convertRequest) *engineflags.Flags { return &r.engines }
	outputs := func(r *convertRequest) *outputs { return &r.outputs }
	engine := part("Engine", outputs, writes("--save-engine, -o, --output ENGINE", ""))
	engine.flags = append(engine.flags,
		arguments.Spelled("--convert-to TYPE", func(_ *convertRequest, words []string) error {
			if words[0] != "trt" {
				return fmt.Errorf("%q: only trt is built here; polygraphy convert has other targets",
					words[0])
			}
			return nil
		}))
	engine.flags = append(engine.flags, arguments.Lift(engines,
		engineFlags("--model-type TYPE", "--engine-capability CAPABILITY"))...)
	return []section[convertRequest]{
		engine, part("TensorRT", engines, append(engineFlags("--trt"), builderFlags...)...),
		markSection(func(r *convertRequest) *loaders.Selection { return &r.marks }),
		inputSection(func(r *convertRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(outputs, printFlags),
	}
}

// convertFlags are all flags of `modelparity convert`.
func convertFlags() []arguments.Flag[convertRequest] {
	return flagsOf("convert only builds an engine", convertSections())
}

// convertCommand is `modelparity convert`.
func convertCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r convertRequest
	given, err := read(&r, convertFlags(), args)
	if r.help {
		help(stdout, "convert", convertSections()...)
		return equal
	}
	if err == nil {
		err = r.convert(ctx, given)
	}
	found := finding{}
	if err == nil {
		found = savedOnly(r.paths["--save-engine"])
	}
	return r.conclude("convert", found, err, stdout, stderr)
}

// convert builds the engine and writes it.
func (r *convertRequest) convert(ctx context.Context, files []string) error {
	out := r.paths["--save-engine"]
	switch {
	case len(files) != 1:
		return fmt.Errorf("convert takes one model, got %d: %s", len(files), strings.Join(files, " "))
	case out == "":
		return errors.New("there is nowhere to write the engine; write -o ENGINE.plan")
	case strings.EqualFold(filepath.Ext(out), ".onnx"):
		return fmt.Errorf("%s: convert writes a TensorRT engine, not an ONNX file; write -o ENGINE.plan",
			out)
	}
	if err := r.check("--trt"); err != nil {
		return err
	}
	given, err := r.engines.Model(files[0])
	if err != nil {
		return err
	}
	file, isONNX := given.(*loaders.Model)
	if !isONNX {
		return fmt.Errorf("convert takes an ONNX model, got %s", backends.Described(given))
	}
	if err := file.Load(); err != nil {
		return err
	}
	model, wanted, err := file.Marked(r.marks)
	if err != nil {
		return err
	}
	r.engines.TensorRT().Add(trt.SavePlan(out))
	if err := r.engines.TensorRT().Keep(model, wanted); err != nil {
		return err
	}
	s, err := r.engines.Subject("--trt", model, r.inputs.Inputs(model), r.inputs.Shapes())
	if err != nil {
		return err
	}
	engine, err := s.Engine.Open(ctx, s.Model, s.Inputs)
	if err != nil {
		return err
	}
	return engine.Close()
}
