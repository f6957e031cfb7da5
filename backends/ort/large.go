package ort

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
)

// largeModel is the size above which ONNX Runtime reads the file itself: it then holds the bytes
// once in place of twice.
const largeModel = 64 << 20

// loadLarge makes the session of a large model from its file; one that is no file as it stands,
// such as a marked one, is written to a temporary file for as long as the session is being made.
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
