package openvino

import (
	"context"
	"errors"

	"github.com/modelparity/modelparity/backends/internal/native"
	"github.com/modelparity/modelparity/internal/inuse"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/loaders"
)

// read makes OpenVINO read an ONNX model. read returns early if ctx ends.
func read(ctx context.Context, library *abi.Library, model *loaders.Model) (*abi.Model, error) {
	fromFile, err := native.ReadsFile(model)
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
	return leave(ctx, func() (_ *abi.Model, err error) {
		path, remove, err := native.File(model, "model.onnx")
		if err != nil {
			return nil, err
		}
		// The weights are mapped into memory and stay there after the file is removed.
		defer func() { err = errors.Join(err, remove()) }()
		return library.ReadFile(path)
	})
}

// leave runs work that returns a model; see [inuse.Leave]. It returns soon after ctx ends, even if
// the work has not finished. The model is then closed as soon as the work returns it.
func leave(ctx context.Context, work func() (*abi.Model, error)) (*abi.Model, error) {
	return inuse.Leave(ctx, abi.Patience, work, (*abi.Model).Close)
}
