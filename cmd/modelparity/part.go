package main

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// side is one of the two that are searched: a model, and the engine that runs it and its parts.
func (r *request) side(ctx context.Context, runner string, m *loaders.Model,
	inputs fixtures.Inputs) (locate.Side, error) {
	engine, err := r.runner(runner, m)
	if err != nil {
		return locate.Side{}, err
	}
	parts, forget, err := backends.ForParts(ctx, engine, m, inputs)
	if err != nil {
		return locate.Side{}, err
	}
	r.forget = append(r.forget, forget)
	if cautious, ok := engine.(backends.Cautious); ok && cautious.Caution() != "" {
		r.caution = cautious.Caution()
	}
	return locate.Side{Name: m.Name(), Model: m, Open: func(ctx context.Context,
		m *loaders.Model, fed fixtures.Inputs) (backends.Backend, error) {
		return parts.Open(ctx, m, fed)
	}}, nil
}

// runner is the engine that a runner flag names.
func (r *request) runner(runner string, m *loaders.Model) (backends.Engine, error) {
	if runner == "--trt" {
		return r.engine(m.Path())
	}
	options, err := r.onnxruntime()
	return ort.Engine(options...), err
}

// release ends what the parts of models share.
func (r *request) release() {
	for _, forget := range r.forget {
		forget()
	}
}
