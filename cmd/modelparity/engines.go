package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// open makes the backend that a runner flag names.
func (r *request) open(ctx context.Context, runner string, model *loaders.Model,
	inputs fixtures.Inputs) (backends.Backend, error) {
	switch {
	case runner == "--trt":
		return r.openTensorRT(ctx, model, inputs)
	case r.isEngine(model.Path()):
		return nil, fmt.Errorf("%s is an engine of TensorRT's, which --trt runs", model.Name())
	}
	options, err := r.onnxruntime()
	if err != nil {
		return nil, err
	}
	return ort.Engine(options...).Open(ctx, model, inputs)
}

// isEngine reports whether the model is a built engine.
func (r *request) isEngine(path string) bool { return isEngine(r.modelType, path) }

// isEngine decides by --model-type, or by the file's extension.
func isEngine(modelType, path string) bool {
	if modelType != "" {
		return modelType == "engine"
	}
	return slices.Contains([]string{".engine", ".plan"}, strings.ToLower(filepath.Ext(path)))
}
