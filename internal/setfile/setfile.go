// Package setfile reads and writes files of named tensors, each in the format that its extension
// says:
//
//	.json         inputs as Polygraphy saves them: any number of iterations
//	.npz          NumPy's archive: one iteration
//	.safetensors  one iteration
//	.npy .pb      one tensor: NumPy's, or an ONNX TensorProto
//	.bin .raw     one tensor without type and shape, which a declaration must give
//	a folder      0000000000.json … as Polygraphy writes them; 0000000000/NAME.bin …, its input
//	              blobs; test_data_set_0/input_0.pb …, ONNX's test data, or one such set
//
// Files are read through Go's os package, one iteration at a time.
package setfile

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/codec/safetensors"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/tensor"
)

// Declared is a model's declaration of one tensor. It provides the names of tensors in formats
// without names, and the type and shape of raw files.
type Declared struct {
	Name string
	// Type is Invalid if the model does not declare a type.
	Type tensor.ElementType
	// Kind says which message contains the value in a .pb file.
	Kind onnxpb.Kind
	// Shape contains -1 for each dynamic dimension. It is nil if the model does not declare the
	// rank.
	Shape tensor.Shape
}

// Options says whether the files contain a model's inputs or its outputs, and what the model
// declares about them.
type Options struct {
	// Role is "input" or "output". It selects the .pb files to read in ONNX's test data.
	Role string
	// Declared lists the model's inputs or outputs, in order. It is nil if there is no model.
	Declared []Declared
}

// Iteration contains the tensors of one iteration.
type Iteration struct {
	*tensor.Set
	// Unnamed is true if the format has no names, so that the names are derived from file names.
	Unnamed bool
}

// Read iterates over the iterations in the files, in order. In some formats, such as .npy, a file
// contains only one tensor. Consecutive files in these formats form one iteration. If a tensor's
// name occurs again, a new iteration begins.
//
// After an error there are no more iterations. The error contains the file's path.
func Read(o Options, paths ...string) iter.Seq2[Iteration, error] {
	return func(yield func(Iteration, error) bool) {
		r := &reader{options: o, yield: yield}
		if err := r.all(paths); err != nil && err != errStopped {
			yield(Iteration{}, err)
		}
	}
}

// reader reads files and yields iterations.
type reader struct {
	options Options
	yield   func(Iteration, error) bool
	single  []one // tensors of single-tensor files for the next iteration
}

// errStopped says that the loop over the iterations has ended.
var errStopped = errors.New("stopped")

// one is the value of a single-tensor file.
type one struct {
	path string
	name string // name in the file, or ""
	made string // name derived from the file's name
	load func(Declared) ([]tensor.Entry, error)
}

func (r *reader) all(paths []string) error {
	for _, path := range paths {
		if err := r.path(path); err != nil {
			return err
		}
	}
	return r.flush()
}

// give yields an iteration.
func (r *reader) give(i Iteration) error {
	if !r.yield(i, nil) {
		return errStopped
	}
	return nil
}

// path reads one file or folder.
func (r *reader) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return located.In(path, err)
	case info.IsDir():
		return r.folder(path)
	}
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".json", ".npz", ".safetensors":
		for set, err := range iterationsIn(path, extension, info.Size()) {
			if err != nil {
				return located.In(path, err)
			}
			if err = r.flush(); err == nil {
				err = r.give(Iteration{Set: set})
			}
			if err != nil {
				return err
			}
		}
		return nil
	case ".npy", ".pb", ".bin", ".raw":
		return r.wait(path)
	default:
		return located.In(path, fmt.Errorf("unknown extension %q: expected .json, .npz, .npy, .pb, "+
			".safetensors, .bin or a folder", filepath.Ext(path)))
	}
}

// iterationsIn iterates over the iterations in a file with named tensors. After an error it stops.
func iterationsIn(path, extension string, size int64) iter.Seq2[*tensor.Set, error] {
	return func(yield func(*tensor.Set, error) bool) {
		f, err := regular.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		switch extension {
		case ".json":
			polygraphy.Inputs(f, size)(yield)
		case ".npz":
			yield(npy.ReadArchive(f, size))
		case ".safetensors":
			var set *tensor.Set
			data, err := regular.Read(path) // reads into a buffer of the right size
			if err == nil {
				set, err = safetensors.Decode(data)
			}
			yield(set, err)
		}
	}
}
