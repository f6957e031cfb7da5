package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// leastApart is the minimum size in bytes of the initializers that are removed from the model and
// passed to the session separately.
const leastApart = 4096

// noPrepacking is the configuration entry that stops kernels from copying weights into a layout of
// their own. Such copies would double the memory for weights.
const noPrepacking = "session.disable_prepacking"

// reweigh implements [backends.Capabilities.Reweigh]. The session reads the initializers as
// external data: they are written one by one to a temporary file that ONNX Runtime maps into
// memory. Memory then contains one copy of the initializers, and the model may exceed 2 GiB; the
// temporary folder needs space for the file. Initializers are set before the graph is optimised, so
// the results are bitwise equal to the results of a rewritten model that runs without prepacking.
func (e engine) reweigh(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs,
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
	version, _, err := launch(s)
	if err != nil {
		return nil, err
	}
	options := s.session()
	options.Config[noPrepacking] = "1"
	skeleton, forget, err := weighed(model, replace, &options)
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	defer func() { err = errors.Join(err, forget()) }() // runs after the session is closed
	b.lease, err = sessions.Shared.Open(ctx, "", model, func() (sessions.Session, error) {
		b.session, err = onnxruntime.NewSession(skeleton, options)
		return b.session, err
	})
	if err != nil {
		return nil, fmt.Errorf("onnxruntime %s: %s with replaced weights: %w", version, model.Name(),
			explain(err))
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if !s.cpu() { // nothing may fall back to it
		if err := b.placed(s); err != nil {
			return nil, fmt.Errorf("onnxruntime %s: %s: %w", version, model.Name(), err)
		}
	}
	run, err := b.Run(ctx, inputs)
	return run.Outputs(), err
}

// weighed returns the encoded model without its large weights. It writes these weights, with
// the values that replace returns, to a file in a new temporary folder. It sets this folder in the
// session's options. The caller calls forget to remove the folder.
func weighed(model *loaders.Model, replace backends.Replace, options *onnxruntime.Options) (
	skeleton []byte, forget func() error, err error) {
	if options.Data, err = os.MkdirTemp("", "modelparity-"); err != nil {
		return nil, nil, err
	}
	forget = func() error { return os.RemoveAll(options.Data) }
	file, err := os.Create(filepath.Join(options.Data, weightsFile))
	if err == nil {
		apart := func(n int) bool { return n >= leastApart }
		skeleton, err = edit.Skeleton(model, file, weightsFile, apart, replace)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return nil, nil, errors.Join(err, forget())
	}
	return skeleton, forget, nil
}

const weightsFile = "weights"
