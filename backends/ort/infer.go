package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// EditEngine returns ONNX Runtime with these options as an [edit.Engine], with which package edit
// infers shapes and folds constants. It does not optimise models.
func EditEngine(options ...Option) edit.Engine {
	plain := append(slices.Clone(options), OptimizationLevel(OptimizeNone))
	return edit.Engine{
		Available: func() error { return Available(plain...) },
		Optimize: func(ctx context.Context, model *loaders.Model) (*loaders.Model, error) {
			s, err := kind.List(plain...).Settings()
			if err != nil {
				return nil, err
			}
			return written(ctx, model, s)
		},
		Run: func(ctx context.Context, model *loaders.Model, inputs *tensor.Set) (*tensor.Set,
			error) {
			run, err := backends.RunIn(ctx, Engine(plain...), model, fixtures.Of(inputs))
			if err != nil {
				return nil, err
			}
			return run.Outputs()[0], nil
		},
	}
}

// writtenWeights is the configuration entry that names a file for the weights when a session writes
// its model. The weights need a separate file, because a protobuf message is limited to 2 GiB.
const writtenWeights = "session.optimized_model_external_initializers_file_name"

// written returns the model as ONNX Runtime's optimiser rewrites it, in memory and without weights.
// It opens a session that writes the rewritten model to a temporary file.
func written(ctx context.Context, model *loaders.Model, s *settings) (_ *loaders.Model,
	err error) {
	version, _, err := launch(s)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	o := s.session()
	o.Written = filepath.Join(folder, "model.onnx")
	o.Config[writtenWeights] = weightsFile
	session, err := load(model, o)
	if err != nil {
		return nil, fmt.Errorf("onnxruntime %s: %w", version, explain(err))
	}
	if err := session.Close(); err != nil {
		return nil, err
	}
	data, err := regular.Read(o.Written)
	if err != nil {
		return nil, err
	}
	return loaders.ONNXBytes(model.Name(), data), nil
}
