package onnxfile

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

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
	content, err := m.contentFor(path)
	if err == nil && sizeOf(content) > MostBytes {
		_, err := m.SaveExternal(path, External{})
		return err
	}
	if err == nil {
		err = wholefile.Write(path, func(w io.Writer) error {
			_, err := writeContent(w, content)
			return err
		})
	}
	if err != nil {
		return m.Located(fmt.Errorf("save to %s: %w", path, err))
	}
	return nil
}

// MostBytes is the maximum size of a protobuf message in bytes.
const MostBytes = math.MaxInt32

// sizeOf returns the size in bytes of a spliced model. For other models it returns 0: they were
// read as one message, so their size is within the limit.
func sizeOf(c content) int64 {
	if s, is := c.(*Spliced); is {
		return s.size
	}
	return 0
}

// contentFor returns the model's bytes for a file at path. It ensures that external data can be
// found from there.
func (m *File) contentFor(path string) (content, error) {
	if len(m.Structure.External) == 0 || m.ignored {
		return m.content, nil
	}
	if m.Dir == "" {
		return nil, outOfReach(m.Structure.External[0].Location)
	}
	if same, err := sameFolder(m.Dir, filepath.Dir(path)); err != nil {
		return nil, err
	} else if same && !m.dataElsewhere() {
		return m.content, nil
	}
	plan, err := m.planData()
	if err != nil {
		return nil, err
	}
	if plan.size <= embeddable {
		return m.relocated(plan, plan.embed)
	}
	if wholefile.IsStream(path) {
		return nil, fmt.Errorf("its %d bytes of external data need a file next to the model, but the "+
			"output is not a regular file; name one", plan.size)
	}
	if err = wholefile.Beside(path, path+".data"); err == nil {
		err = wholefile.Write(path+".data", plan.write)
	}
	if err != nil {
		return nil, err
	}
	return m.relocated(plan, plan.refer(filepath.Base(path)+".data"))
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
