package openvino

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/loaders"
)

// largeModel is the model size in bytes above which OpenVINO reads the file itself. Memory then
// holds one copy of the model instead of two.
const largeModel = 64 << 20

// read makes OpenVINO read an ONNX model from memory if possible, because the provenance has the
// checksum of exactly these bytes. Large models and models with external weights are read from a
// file. If such a model exists only in memory, as one with marked tensors does, read writes it to a
// temporary file. read returns early if ctx ends.
func read(ctx context.Context, library *abi.Library, model *loaders.Model) (*abi.Model, error) {
	fromFile, err := readsFile(model)
	if err != nil {
		return nil, err
	}
	if !fromFile {
		data, err := model.Bytes()
		if err != nil {
			return nil, err
		}
		return leave(ctx, func() (*abi.Model, error) { return library.ReadMemory(data) })
	}
	if model, err = model.WithoutLinks(); err != nil {
		return nil, err
	}
	if model.Path() != "" {
		return leave(ctx, func() (*abi.Model, error) { return library.ReadFile(model.Path()) })
	}
	return leave(ctx, func() (_ *abi.Model, err error) {
		folder, err := os.MkdirTemp("", "modelparity-")
		if err != nil {
			return nil, err
		}
		// The weights are mapped into memory and stay there after the folder is removed.
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		path := filepath.Join(folder, "model.onnx")
		if err := model.Save(path); err != nil {
			return nil, err
		}
		return library.ReadFile(path)
	})
}

// readsFile reports whether OpenVINO should read the model's file itself.
func readsFile(model *loaders.Model) (bool, error) {
	size, err := model.Size()
	if err != nil {
		return false, err
	}
	external, err := model.ExternalData()
	return len(external) > 0 || size > largeModel && model.Dir() != "", err
}

// leave is like [abi.Leave], for work that returns a model. If ctx ends first, the model is closed
// once the work has finished.
func leave(ctx context.Context, work func() (*abi.Model, error)) (*abi.Model, error) {
	return abi.Leave(ctx, work, (*abi.Model).Close)
}
