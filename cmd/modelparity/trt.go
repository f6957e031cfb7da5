package main

import (
	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
)

// tensorrt is TensorRT as the flags want it, for the model of a file or for the engine in it.
func (r *request) tensorrt(path string) (backends.Engine, error) {
	options, err := r.tensorrtOptions()
	if err != nil {
		return nil, err
	}
	options = append(options, trt.WarmUp(r.warmUp))
	if r.isEngine(path) {
		return trt.Plan(path, options...), nil
	}
	return trt.Engine(options...), nil
}

// tensorrtOptions is what the flags add up to.
func (r *request) tensorrtOptions() ([]trt.Option, error) {
	shapes := trt.Shapes{}
	for _, shape := range r.shapes {
		shapes[shape.Name] = shape.Value
	}
	return r.trt.Options(shapes)
}
