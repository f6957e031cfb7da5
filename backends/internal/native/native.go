// Package native holds code that the engines that open shared libraries have in common.
package native

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/loaders"
)

// Large is the model size in bytes above which an engine reads the model's file itself. The memory
// of the process then contains one copy of the model instead of two.
const Large = 64 << 20

// ReadsFile reports whether an engine should read the model's file itself, because the model is
// large or has external data. Otherwise the engine reads the model from memory, so that it runs
// exactly the bytes whose checksum is in the provenance.
func ReadsFile(model *loaders.Model) (bool, error) {
	size, err := model.Size()
	if err != nil {
		return false, err
	}
	external, err := model.ExternalData()
	return len(external) > 0 || size > Large && model.Dir() != "", err
}

// File returns the path of a file that contains the model. A model that exists only in memory, for
// example because outputs were added to it, is saved to a temporary file with the given name. The
// caller calls remove, which is never nil, when it no longer needs the file.
func File(model *loaders.Model, name string) (path string, remove func() error, err error) {
	remove = func() error { return nil }
	if model, err = model.WithoutLinks(); err != nil {
		return "", remove, err
	}
	if model.Path() != "" {
		return model.Path(), remove, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return "", remove, err
	}
	path = filepath.Join(folder, name)
	if err := model.Save(path); err != nil {
		return "", remove, errors.Join(err, os.RemoveAll(folder))
	}
	return path, func() error { return os.RemoveAll(folder) }, nil
}
