package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// subject is a model file in the engine that a runner flag names, with the flags that concern it. A
// built engine is both.
func (r *request) subject(runner string, model *loaders.Model, inputs fixtures.Inputs) (
	s backends.Subject, err error) {
	s.Model, s.Inputs = model, inputs
	switch {
	case runner == "--trt":
		if s.Engine, err = r.tensorrt(model.Path()); err == nil {
			if plan, ok := s.Engine.(trt.PlanFile); ok {
				s.Model = plan
			}
		}
	case r.isEngine(model.Path()):
		err = fmt.Errorf("%s is a TensorRT engine; run it with --trt", model.Name())
	default:
		var options []ort.Option
		options, err = r.onnxruntime()
		s.Engine = ort.Engine(options...)
	}
	return s, err
}

// only is the model of a file in the one engine that was asked for, or in ONNX Runtime.
func (r *request) only(file string) (backends.Subject, error) {
	runner := "--onnxrt"
	switch len(r.runners) {
	case 0:
	case 1:
		runner = r.runners[0]
	default:
		return backends.Subject{}, fmt.Errorf("one engine runs the model, got %d: %s", len(r.runners),
			strings.Join(r.runners, " "))
	}
	model := loaders.ONNX(file)
	return r.subject(runner, model, r.inputs(model))
}

// runOne runs the model in one engine.
func (r *request) runOne(ctx context.Context, runner string, model *loaders.Model,
	inputs fixtures.Inputs) (*backends.Run, error) {
	s, err := r.subject(runner, model, inputs)
	if err != nil {
		return nil, err
	}
	return backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
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
