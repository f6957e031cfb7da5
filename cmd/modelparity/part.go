package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// opener makes engines for one side of a search. The side's own model is opened as run opens it;
// any other is a part of it, or has more outputs.
func (r *request) opener(runner string, own *loaders.Model, inputs fixtures.Inputs) locate.Open {
	return func(ctx context.Context, m *loaders.Model, fed fixtures.Inputs) (
		backends.Backend, error) {
		if runner == "--trt" && m != own {
			return r.openPart(ctx, own, inputs, m, fed)
		}
		return r.open(ctx, runner, m, inputs)
	}
}

// openPart builds a part with the options for the model, as far as they concern it.
func (r *request) openPart(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	part *loaders.Model, fed fixtures.Inputs) (*trt.Engine, error) {
	options, err := r.trt.all(model, inputs, r.shapes)
	if err != nil {
		return nil, err
	}
	engine, err := trt.New(ctx, part, append(options, trt.Part(fed))...)
	if err != nil {
		return nil, err
	}
	if err := giveWeights(engine, part); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// shareTimings gives all engines of a search one timing cache, where the flags name none: a layer
// that several have is then measured once, and computed by one kernel in all of them.
func (r *request) shareTimings() (forget func(), err error) {
	if !slices.Contains(r.runners, "--trt") || r.trt.loadCache+r.trt.saveCache != "" {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-timings-")
	if err != nil {
		return nil, err
	}
	r.trt.options = append(r.trt.options, trt.TimingCache(filepath.Join(folder, "timings")))
	return func() { _ = os.RemoveAll(folder) }, nil
}

// freeTypes is what the reader of a search has to know where TensorRT chose each node's type.
const freeTypes = "no node is out of tolerance alone, but TensorRT chose the type that each one " +
	"computed in, and may have taken float32 for it: --precision-constraints obey " +
	"--layer-precisions '*:float16' holds them to float16"

// choosesTypes reports whether TensorRT could choose between types.
func (r *request) choosesTypes() bool {
	given := func(flag string) bool { return slices.Contains(r.trt.given, flag) }
	return slices.Contains(r.runners, "--trt") && !given("--precision-constraints") &&
		(given("--fp16") || given("--bf16") || given("--fp8") || given("--int8"))
}
