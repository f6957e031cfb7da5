package onnxfile

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// embeddable is the maximum size in bytes of external data that [File.Save] moves into the model's
// file. Models that were cut from a larger one usually have less, and one file is easier to pass on
// than two.
const embeddable = 64 << 20

// Save writes the model, which may be marked or cut, to path. If it fails, an existing file is
// unchanged. The folder must exist.
//
// If path is in the folder of the model's external data, the saved model refers to the same files.
// Otherwise, because a model must not refer to files outside its folder, data of up to 64 MiB is
// moved into the model's file, and larger data is copied to one file next to it, path + ".data".
// Only data that tensors use is copied. If the model would reach protobuf's limit of 2 GiB, its
// weights go to that file too; see [File.SaveExternal].
func (m *File) Save(path string) error {
	if err := m.Load(); err != nil {
		return err
	}
	saved, err := m.savedAt(path)
	if err == nil {
		if all, is := saved.content.(*Spliced); is && all.size > MostBytes {
			_, err := m.SaveExternal(path, External{})
			return err
		}
		err = saved.writeFile(path)
	}
	if err != nil {
		return m.Located(fmt.Errorf("save to %s: %w", path, err))
	}
	return nil
}

func (m *File) writeFile(path string) error {
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := writeContent(w, m.content)
		return err
	})
}

// MostBytes is the maximum size of a protobuf message in bytes.
const MostBytes = math.MaxInt32

// savedAt returns the model for a file at path. It ensures that external data can be found from
// there.
func (m *File) savedAt(path string) (*File, error) {
	if len(m.Structure.External) == 0 || m.ignored {
		return m, nil
	}
	if m.Dir == "" {
		return nil, outOfReach(m.Structure.External[0].Location)
	}
	if same, err := sameFolder(m.Dir, filepath.Dir(path)); err != nil {
		return nil, err
	} else if same && !m.dataElsewhere() {
		return m, nil
	}
	ranges, size, err := m.planData()
	if err != nil {
		return nil, err
	}
	if size <= embeddable {
		return m.relocated(func(i int) ([]byte, error) {
			r := ranges[i]
			data, err := m.readData(r.Location, r.Offset, r.Length)
			if err != nil {
				return nil, fmt.Errorf("tensor %q: %w", r.Tensor, err)
			}
			return onnxwire.AppendMessage(nil, onnxwire.TensorRawData, data), nil
		})
	}
	if wholefile.IsStream(path) {
		return nil, fmt.Errorf("its %d bytes of external data need a file next to the model, but the "+
			"output is not a regular file; name one", size)
	}
	if err = wholefile.Beside(path, path+".data"); err == nil {
		err = wholefile.Write(path+".data", func(w io.Writer) error { return m.copyData(w, ranges) })
	}
	if err != nil {
		return nil, err
	}
	return m.relocated(func(i int) ([]byte, error) {
		return Reference(filepath.Base(path)+".data", ranges[i].to, ranges[i].Length), nil
	})
}

// dataElsewhere reports whether some external data is in the folder of a symbolic link's target. A
// saved copy of the model is not a link, so it could not find the data there.
func (m *File) dataElsewhere() bool {
	for _, location := range m.locations() {
		p, err := m.folders.Find(location)
		if err != nil || p.Root != m.folders.Roots[0] {
			return true
		}
	}
	return false
}

func sameFolder(a, b string) (bool, error) {
	one, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	other, err := os.Stat(b)
	if err != nil {
		return false, err
	}
	return os.SameFile(one, other), nil
}
