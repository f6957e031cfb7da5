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

// Write writes the sets, one per iteration, in the format that path's extension says; a path
// without one is a folder of 0000000000.json, 0000000001.json, …, which must be new or empty, or
// a stream such as /dev/stdout, which gets JSON. Files are written whole or not at all. Formats of
// one iteration, or one tensor, refuse more. No iteration at all is an error.
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

// WriteSet writes one iteration in a format of its own: .npz, .safetensors, .npy or .pb.
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
			return fmt.Errorf("%s holds one tensor, not %d", extension, set.Len())
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
		return fmt.Errorf("no format has the extension %q: want .json, .npz, .npy, .pb, "+
			".safetensors, or none for a folder", extension)
	}
	return wholefile.Write(path, write)
}

// only is the one set that there must be.
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
		return nil, fmt.Errorf("%s holds one iteration, not %d: want .json", extension, n)
	}
	return found, nil
}

// errNothing keeps files without iterations from being written: nothing could be compared to them.
var errNothing = fmt.Errorf("no iteration to write")

func writeJSON(path string, sets iter.Seq2[*tensor.Set, error]) error {
	return wholefile.Write(path, func(w io.Writer) error {
		n := 0
		out := polygraphy.NewWriter(w)
		out.Inputs(func(yield func(*tensor.Set, error) bool) {
			for set, err := range sets {
				n++
				if !yield(set, err) {
					return
				}
			}
		})
		if n == 0 {
			return errNothing
		}
		return out.Close()
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

// WriteDataSet writes one iteration as one of ONNX's sets, into folder, which exists: role_0.pb,
// role_1.pb and so on, in the order of the declared values, each the message of its kind. A
// declared value that the set lacks is an optional without a value, or an error.
func WriteDataSet(folder, role string, declared []Declared, set *tensor.Set) error {
	for i, d := range declared {
		value, ok := set.Value(d.Name)
		optional := d.Kind == onnxpb.OptionalKind
		var data []byte
		var err error
		switch {
		case ok:
			data, err = onnxpb.AppendValue(nil, value, optional)
		case optional:
			data = onnxpb.AppendNothing(nil, d.Name)
		default:
			err = fmt.Errorf("no %s %q to write", role, d.Name)
		}
		if err != nil {
			return located.In(folder, err)
		}
		err = wholefile.WriteBytes(filepath.Join(folder, fmt.Sprintf("%s_%d.pb", role, i)), data)
		if err != nil {
			return err
		}
	}
	return nil
}

// MakeFolder makes a folder for numbered files. One that has files in it is an error: old
// iterations would be taken for new ones.
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
