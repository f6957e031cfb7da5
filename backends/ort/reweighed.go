package ort

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// leastApart is from how many bytes on an initializer is handed to the session beside the model.
const leastApart = 4096

// noPrepacking is the configuration entry that keeps kernels from copying weights into a layout of
// their own, which would be the second copy.
const noPrepacking = "session.disable_prepacking"

// RunReweighed runs the model with other constants (see [backends.ReweighingEngine]). The session
// gets a model that refers to its initializers, and the initializers beside it, so that models may
// have more than 2 GiB; ONNX Runtime copies them once while it creates the session. The results are
// those of the rewritten model without prepacked weights, bit for bit: initializers are there
// before the graph is optimised.
func (e engine) RunReweighed(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
	replace backends.Replace) (outputs []*tensor.Set, err error) {
	s, err := e.Settings()
	if err != nil {
		return nil, err
	}
	b := &backend{engine: e, model: model}
	if err = context.Cause(ctx); err == nil {
		err = b.declare()
	}
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	version, err := start(s.Library)
	if err != nil {
		return nil, err
	}
	skeleton, weights, err := model.Skeleton(func(n int) bool { return n >= leastApart }, replace)
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	options := s.session()
	options.Config = append(options.Config, onnxruntime.Setting{Key: noPrepacking, Value: "1"})
	for _, w := range weights {
		options.Initializers = append(options.Initializers,
			onnxruntime.Named{Name: w.Name, Value: fromTensor(w.Tensor)})
	}
	if b.session, err = onnxruntime.NewSession(skeleton, options); err != nil {
		return nil, fmt.Errorf("onnxruntime %s: %s with other weights: %w", version, model.Name(),
			s.explain(model, err))
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	run, err := b.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	return run.Outputs(), nil
}
