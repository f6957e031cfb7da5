// Package native holds code that the engines that open shared libraries have in common.
package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Codes maps the element types that an engine supports to the library's codes.
type Codes[C comparable] map[tensor.ElementType]C

// Element returns the element type that has the given code, or [tensor.Invalid].
func (c Codes[C]) Element(code C) tensor.ElementType {
	for elem, known := range c {
		if known == code {
			return elem
		}
	}
	return tensor.Invalid
}

// Tensor returns a tensor with the element type that has the given code.
func (c Codes[C]) Tensor(code C, shape []int, data []byte) (*tensor.Tensor, error) {
	elem := c.Element(code)
	if elem == tensor.Invalid {
		return nil, fmt.Errorf("the engine returned element type %v, which modelparity does not "+
			"support", code)
	}
	return tensor.FromBytes(elem, shape, data)
}

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
