package onnxfile

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// embeddable is how much external data [File.Save] takes into the file: what a part of a model
// needs is mostly less, and one file is easier to pass on than two.
const embeddable = 64 << 20

// Save writes the model, which may be marked or cut, to path, whole or not at all. The folder must
// exist.
//
// In the model's own folder, external data that lies there is referred to as before. Otherwise up
// to 64 MiB of it are taken into the file, so that one file is the model; more than that is copied
// into one file beside it, path + ".data", because a model may not point out of its folder. Only
// what the model's tensors need is copied. Of a model of 2 GiB or more, which no message holds, the
// weights go there too; see [File.SaveExternal].
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

// MostBytes is how many bytes one message holds.
const MostBytes = math.MaxInt32

// sizeOf is the number of bytes of a spliced model; another one was read as one message.
func sizeOf(c content) int64 {
	if s, is := c.(*Spliced); is {
		return s.size
	}
	return 0
}

// contentFor is the model's bytes for a file at path, once its external data can be found there.
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
		return nil, fmt.Errorf("its %d bytes of external data go to a file beside it, and this is no "+
			"regular file; name one", plan.size)
	}
	err = wholefile.Write(path+".data", plan.write)
	if err != nil {
		return nil, err
	}
	return m.relocated(plan, plan.refer(filepath.Base(path)+".data"))
}

// dataElsewhere reports whether some of the external data lies in the folder of the file that the
// model is a link to, where a model that is not a link may not look for it.
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
