package setfile

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/codec/safetensors"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// Write writes the sets, one per iteration, in the format that path's extension selects. A path
// without an extension is either a folder for 0000000000.json, 0000000001.json, …, which must be
// new or empty, or a stream such as /dev/stdout, which gets JSON. If Write fails, an existing file
// is unchanged. It is an error if there are no iterations, or more iterations or tensors than the
// format can store.
func Write(path string, sets iter.Seq2[*tensor.Set, error]) error {
	extension := strings.ToLower(filepath.Ext(path))
	var err error
	if extension == "" && wholefile.IsStream(path) {
		extension = ".json"
	}
	switch extension {
	case ".json":
		err = writeJSON(path, sets)
	case "":
		err = writeFolder(path, sets)
	default:
		var set *tensor.Set
		if set, err = only(sets, extension); err == nil {
			err = WriteSet(path, set)
		}
	}
	if err != nil {
		return located.In(path, err)
	}
	return nil
}

// WriteSet writes one iteration as .npz, .safetensors, .npy or .pb.
func WriteSet(path string, set *tensor.Set) error {
	var write func(io.Writer) error
	extension := strings.ToLower(filepath.Ext(path))
	switch extension {
	case ".npz":
		write = func(w io.Writer) error { return npy.WriteArchive(w, set) }
	case ".safetensors":
		write = func(w io.Writer) error { return safetensors.Write(w, set) }
	case ".npy", ".pb":
		if set.Len() != 1 {
			return fmt.Errorf("%s can store only one tensor, got %d", extension, set.Len())
		}
		e := set.At(0)
		if extension == ".npy" {
			write = func(w io.Writer) error { return npy.Write(w, e.Tensor) }
			break
		}
		write = func(w io.Writer) error {
			data, err := onnxpb.Append(nil, e.Name, e.Tensor)
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		}
	default:
		return fmt.Errorf("unknown extension %q: expected .json, .npz, .npy, .pb, "+
			".safetensors, or none for a folder", extension)
	}
	return wholefile.Write(path, write)
}

// only returns the single set in a sequence, or an error if the sequence has none or several. It is
// for formats that store only one iteration.
func only(sets iter.Seq2[*tensor.Set, error], extension string) (*tensor.Set, error) {
	var found *tensor.Set
	n := 0
	for set, err := range sets {
		if err != nil {
			return nil, err
		}
		found = set
		n++
	}
	if n != 1 {
		return nil, fmt.Errorf("%s can store only one iteration, got %d; use .json", extension, n)
	}
	return found, nil
}

// errNothing is the error for an attempt to write a file without iterations. Nothing could be
// compared with such a file.
var errNothing = fmt.Errorf("there are no iterations to write")

func writeJSON(path string, sets iter.Seq2[*tensor.Set, error]) error {
	return wholefile.Write(path, func(w io.Writer) error {
		out := polygraphy.NewWriter(w)
		n := out.Inputs(sets)
		if err := out.Close(); err != nil || n > 0 {
			return err
		}
		return errNothing
	})
}

// writeFolder writes one file for each iteration.
func writeFolder(path string, sets iter.Seq2[*tensor.Set, error]) error {
	if err := MakeFolder(path); err != nil {
		return err
	}
	n := 0
	for set, err := range sets {
		if err != nil {
			return err
		}
		file := filepath.Join(path, fmt.Sprintf("%010d.json", n))
		err := wholefile.Write(file, func(w io.Writer) error {
			out := polygraphy.NewWriter(w)
			out.Set(set)
			return out.Close()
		})
		if err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return errNothing
	}
	return nil
}

// WriteDataSet writes one iteration as an ONNX test data set into folder, which must exist. The
// files are role_0.pb, role_1.pb and so on, in the order of the names. It is an error if the set
// has no tensor with one of these names. Sequences, maps and empty optionals are not tensors, so
// they cannot be written.
func WriteDataSet(folder, role string, names []string, set *tensor.Set) error {
	for i, name := range names {
		t, ok := set.Get(name)
		if !ok {
			return located.In(folder, fmt.Errorf("%s %q is not a tensor, but only tensors can be written "+
				"as ONNX test data", role, name))
		}
		one, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
		if err == nil {
			err = WriteSet(filepath.Join(folder, fmt.Sprintf("%s_%d.pb", role, i)), one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MakeFolder creates a folder for numbered files. It is an error if the folder exists and is not
// empty, because old iterations in the folder could be mistaken for new ones.
func MakeFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the folder is not empty: it has %s", entries[0].Name())
	}
	return err
}
