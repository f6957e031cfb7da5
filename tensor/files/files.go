// Package files reads and writes files of one set of tensors, in the format that the extension
// says: .npy and .npz of NumPy, .safetensors, .pb with an ONNX TensorProto, and .json as Polygraphy
// saves inputs.
//
// Package fixtures reads files of several iterations, and gives a model's declarations to formats
// without names and types. Package golden reads saved runs.
package files

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

// Read is the set in a file. A tensor of a format without names has the name of its file, without
// the extension. An .npy file of 256 MiB or more stays on disk.
//
// Errors: another extension, a damaged file, more than one iteration, and what is larger than a
// file of its size may be, which MODELPARITY_UNPACK_LIMIT raises.
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
		return nil, fmt.Errorf("%s: no iteration is in it", path)
	}
	return read, nil
}

// Write writes the set to a file, whole or not at all. Formats of one tensor, .npy and .pb, refuse
// more, and .json takes the types that NumPy has.
func Write(path string, set *tensor.Set) error {
	return setfile.Write(path, func(yield func(*tensor.Set, error) bool) { yield(set, nil) })
}
