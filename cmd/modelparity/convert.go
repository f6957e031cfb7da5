package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/loaders"
)

// outputFlags say what engine is written, and where.
var outputFlags = []flag{
	{Name: "--save-engine", Also: []string{"-o", "--output"}, Arity: arguments.One, Value: "ENGINE",
		File: files.Writes, Apply: func(r *request, values []string) error {
			r.trt.saveEngine = values[0]
			r.trt.options = append(r.trt.options, trt.SavePlan(values[0]))
			return nil
		}},
	{Name: "--convert-to", Arity: arguments.One, Value: "TYPE",
		Apply: func(_ *request, values []string) error {
			if values[0] != "trt" {
				return fmt.Errorf("%q: only trt is built here; polygraphy convert has other targets",
					values[0])
			}
			return nil
		}},
	trtNames("--engine-capability", arguments.One, "CAPABILITY", onlyName(trt.Capability)),
	{Name: "--model-type", Arity: arguments.One, Value: "TYPE", Apply: modelType},
}

var convertSections = []section[request]{
	{"Engine", outputFlags}, {"TensorRT", engineFlags}, {"Tensors", markFlags}, {"Inputs", inputFlags},
	{"Results", resultFlags},
}

// convertFlags are all flags of `modelparity convert`.
func convertFlags() []flag {
	flags := slices.Concat(outputFlags, markFlags, inputFlags, resultFlags, knownFlags())
	for _, f := range engineFlags {
		if f.Name != "--save-engine" { // it is -o here
			flags = append(flags, f)
		}
	}
	return flags
}

// convertCommand is `modelparity convert`.
func convertCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	r := newRequest()
	given, err := r.parse(convertFlags(), args, false)
	if r.help {
		help(stdout, "convert", convertSections...)
		return equal
	}
	if err == nil {
		err = r.convert(ctx, given)
	}
	if err != nil {
		complain(stderr, "convert: %v", err)
		return unusable
	}
	fmt.Fprintf(r.printed(stdout, stderr), "saved %s\n", r.trt.saveEngine)
	return equal
}

// convert builds the engine and writes it.
func (r *request) convert(ctx context.Context, files []string) error {
	switch {
	case len(files) != 1:
		return fmt.Errorf("convert takes one model, got %d: %s", len(files), strings.Join(files, " "))
	case r.trt.saveEngine == "":
		return errors.New("there is nowhere to write the engine; write -o ENGINE.plan")
	case strings.EqualFold(filepath.Ext(r.trt.saveEngine), ".onnx"):
		return fmt.Errorf("%s: convert writes a TensorRT engine, not an ONNX file; write -o ENGINE.plan",
			r.trt.saveEngine)
	case r.isEngine(files[0]):
		return fmt.Errorf("%s is an engine already; convert takes an ONNX model", files[0])
	}
	model, err := r.markedForTensorRT(loaders.ONNX(files[0]))
	if err != nil {
		return err
	}
	s, err := r.subject("--trt", model, r.inputs(model))
	if err != nil {
		return err
	}
	engine, err := s.Engine.Open(ctx, s.Model, s.Inputs)
	if err != nil {
		return err
	}
	return engine.Close()
}

// markedForTensorRT gives the model with the tensors as outputs that --onnx-outputs and its kin
// select, and has TensorRT leave the other outputs out of the engine.
func (r *request) markedForTensorRT(file *loaders.Model) (*loaders.Model, error) {
	if err := file.Load(); err != nil {
		return nil, err
	}
	model, wanted, err := r.mark(file)
	if err != nil || wanted == nil {
		return model, err
	}
	outputs, err := model.Outputs()
	for _, output := range outputs {
		if !slices.Contains(wanted, output.Name) {
			r.trt.options = append(r.trt.options, trt.Unmark(output.Name))
		}
	}
	return model, err
}
