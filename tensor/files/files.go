// Package files reads and writes files with one set of tensors. The extension selects the format:
// NumPy's .npy and .npz, .safetensors, .pb with an ONNX TensorProto, and .json in Polygraphy's
// format of inputs.
//
// Package fixtures reads files of several iterations, and uses a model's declarations for formats
// without names and types. Package golden reads saved runs.
package files

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

// Read returns the set in a file. If the format has no names, a tensor is named after the file,
// without extension. The data of an .npy file of 256 MiB or more is not loaded into memory.
//
// It is an error if the extension is unknown, if the file is damaged or holds more than one
// iteration, or if it unpacks to more data than its size allows. MODELPARITY_UNPACK_LIMIT raises
// that limit.
func Read(path string) (*tensor.Set, error) {
	var read *tensor.Set
	for iteration, err := range setfile.Read(setfile.Options{Role: "input"}, path) {
		if err != nil {
			return nil, err
		}
		if read != nil {
			return nil, fmt.Errorf("%s: more than one iteration; fixtures.Load reads them all", path)
		}
		read = iteration.Set
	}
	if read == nil {
		return nil, fmt.Errorf("%s: the file contains no iteration", path)
	}
	return read, nil
}

// Write writes the set to a file. If it fails, an existing file is unchanged. An .npy or .pb file can
// hold only a single tensor, and a .json file only element types that NumPy has.
func Write(path string, set *tensor.Set) error {
	return setfile.Write(path, func(yield func(*tensor.Set, error) bool) { yield(set, nil) })
}
