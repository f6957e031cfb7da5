package ort

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
)

// largeModel is the model size in bytes above which ONNX Runtime reads the file itself. Memory then
// holds one copy of the model instead of two.
const largeModel = 64 << 20

// loadLarge creates the session of a large model from its file. If the model exists only in memory,
// as one with marked tensors does, loadLarge first writes it to a temporary file, which it removes
// at the end.
func loadLarge(model *loaders.Model, options onnxruntime.Options) (
	s *onnxruntime.Session, err error) {
	if model.Path() != "" {
		return onnxruntime.NewSessionFromFile(model.Path(), options)
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "model.onnx")
	if err := model.Save(path); err != nil {
		return nil, err
	}
	return onnxruntime.NewSessionFromFile(path, options)
}
