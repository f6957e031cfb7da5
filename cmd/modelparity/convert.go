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
var outputFlags = append([]flag{
	arguments.Spelled("--save-engine, -o, --output ENGINE",
		arguments.Text(func(r *request) *string { return &r.engine })).On(files.Writes),
	arguments.Spelled("--convert-to TYPE", func(_ *request, words []string) error {
		if words[0] != "trt" {
			return fmt.Errorf("%q: only trt is built here; polygraphy convert has other targets",
				words[0])
		}
		return nil
	}),
	arguments.Spelled("--model-type TYPE", modelType),
}, tensorrtFlags("--engine-capability CAPABILITY")...)

var convertSections = []section[request]{
	{"Engine", outputFlags}, {"TensorRT", builderFlags}, {"Tensors", markFlags},
	{"Inputs", inputFlags},
	{"Results", resultFlags},
}

// convertFlags are all flags of `modelparity convert`.
func convertFlags() []flag {
	return slices.Concat(outputFlags, markFlags, inputFlags, resultFlags, builderFlags, knownFlags())
}

// builderFlags are TensorRT's without --save-engine, which is -o here.
var builderFlags = slices.DeleteFunc(slices.Clone(engineFlags), func(f flag) bool {
	return f.Name == "--save-engine"
})

// convertCommand is `modelparity convert`.
func convertCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
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
	fmt.Fprintf(r.printed(stdout, stderr), "saved %s\n", r.engine)
	return equal
}

// convert builds the engine and writes it.
func (r *request) convert(ctx context.Context, files []string) error {
	switch {
	case len(files) != 1:
		return fmt.Errorf("convert takes one model, got %d: %s", len(files), strings.Join(files, " "))
	case r.engine == "":
		return errors.New("there is nowhere to write the engine; write -o ENGINE.plan")
	case strings.EqualFold(filepath.Ext(r.engine), ".onnx"):
		return fmt.Errorf("%s: convert writes a TensorRT engine, not an ONNX file; write -o ENGINE.plan",
			r.engine)
	case r.isEngine(files[0]):
		return fmt.Errorf("%s is an engine already; convert takes an ONNX model", files[0])
	}
	model, err := r.markedForTensorRT(loaders.ONNX(files[0]))
	if err != nil {
		return err
	}
	r.trt.Add(trt.SavePlan(r.engine))
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
			r.trt.Add(trt.Unmark(output.Name))
		}
	}
	return model, err
}
