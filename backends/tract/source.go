package tract

import (
	"errors"
	"os"
	"path/filepath"

	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// largeModel is the size above which tract reads the file itself, in place of a copy in memory.
const largeModel = 64 << 20

// sourceOf is where tract takes the model from: memory if it can, so that it holds the very bytes
// whose checksum the provenance gives. Large models and those with weights in files of their own
// come from a file, a temporary one where the model is no file as it stands, such as a marked one.
// The caller calls done once nothing reads the source any more.
func sourceOf(model *loaders.Model) (source abi.Source, done func() error, err error) {
	nothing := func() error { return nil }
	size, err := model.Size()
	if err != nil {
		return source, nothing, err
	}
	external, err := model.ExternalData()
	if err != nil {
		return source, nothing, err
	}
	if len(external) == 0 && (size <= largeModel || model.Dir() == "") {
		data, err := model.Bytes()
		return abi.Source{Data: data}, nothing, err
	}
	if model.Path() != "" {
		return abi.Source{Path: model.Path()}, nothing, nil
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return source, nothing, err
	}
	done = func() error { return os.RemoveAll(folder) }
	path := filepath.Join(folder, "model.onnx")
	if err := model.Save(path); err != nil {
		return source, nothing, errors.Join(err, done())
	}
	return abi.Source{Path: path}, done, nil
}
