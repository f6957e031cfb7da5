package onnxfile

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// embeddable is the most external data in bytes that [File.Save] moves into the model's file: parts
// of a model usually need less, and one file is easier to pass on than two.
const embeddable = 64 << 20

// Save writes the model, which may be marked or cut, to path, completely or not at all. The folder
// must exist.
//
// If path is in the folder of the model's external data, the saved model refers to the same files.
// Otherwise up to 64 MiB of data are moved into the model's file, and larger data is copied to one
// file next to it, path + ".data", because a model must not refer to files outside its folder. Only
// data that tensors use is copied. The weights of a model of 2 GiB or more, the limit of protobuf,
// go to that file too; see [File.SaveExternal].
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

// MostBytes is the size limit of a protobuf message.
const MostBytes = math.MaxInt32

// sizeOf returns the number of bytes of a spliced model; other models were read as one message, so
// their size is within the limit.
func sizeOf(c content) int64 {
	if s, is := c.(*Spliced); is {
		return s.size
	}
	return 0
}

// contentFor returns the model's bytes for a file at path, after making sure that its external data
// can be found there.
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
		return nil, fmt.Errorf("its %d bytes of external data need a file next to the model, but this "+
			"is not a regular file; name one", plan.size)
	}
	err = wholefile.Write(path+".data", plan.write)
	if err != nil {
		return nil, err
	}
	return m.relocated(plan, plan.refer(filepath.Base(path)+".data"))
}

// dataElsewhere reports whether some external data is in the folder of a symbolic link's target. A
// saved copy, which is not a link, could not find it there.
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
