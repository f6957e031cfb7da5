package onnxfile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// embeddable is the maximum size in bytes of external data that [File.Save] moves into the model's
// file. A model that was cut from a larger one usually has less external data than this, and one
// file is easier to pass on than two.
const embeddable = 64 << 20

// Save writes the model to path, even if the model differs from its original file. If it fails, an
// existing file is unchanged. The folder must exist.
//
// If path is in the folder of the model's external data, the saved model refers to the same files.
// Otherwise, because a model must not refer to files outside its folder, data of up to 64 MiB is
// moved into the model's file, and larger data is copied to one file next to it, path + ".data".
// Only data that tensors use is copied. If the model would reach protobuf's limit of 2 GiB, all
// weights go to the file path + ".data"; see [File.SaveExternal].
func (m *File) Save(path string) error {
	if err := m.Load(); err != nil {
		return err
	}
	all, changed := m.content.(*Spliced)
	stays, err := m.dataStays(path)
	if err == nil && stays && !(changed && all.size > MostBytes) {
		err = m.writeFile(path)
	} else if err == nil {
		s := saving{model: m, path: path}
		if s.Threshold, err = m.threshold(); err == nil && s.Threshold < math.MaxInt64 {
			_, err := m.SaveExternal(path, External{})
			return err
		}
		if err == nil {
			err = s.save()
		}
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

// dataStays reports whether the model can be saved at path while its external data stays where it
// is.
func (m *File) dataStays(path string) (bool, error) {
	if len(m.Structure.External) == 0 || m.ignored {
		return true, nil
	}
	if m.Dir == "" {
		return false, outOfReach(m.Structure.External[0].Location)
	}
	same, err := sameFolder(m.Dir, filepath.Dir(path))
	return same && !m.dataElsewhere(), err
}

// threshold returns the minimum size in bytes of the weights that are stored in a separate file. If
// all external data fits into the model's file, threshold returns [math.MaxInt64].
func (m *File) threshold() (int64, error) {
	total := int64(0)
	for _, e := range m.Structure.External {
		if e.Length < 0 { // the data extends to the end of the file
			size, err := m.dataSize(e.Location)
			if err != nil {
				return 0, fmt.Errorf("tensor %q: %w", e.Tensor, err)
			}
			e.Length = size - e.Offset
		}
		total += e.Length
	}
	if size, err := m.Size(); err != nil || total > embeddable || size+total > MostBytes {
		return defaultThreshold, err
	}
	return math.MaxInt64, nil
}

// dataElsewhere reports whether some external data is not in the folder of the model's path. This
// can happen if the path is a symbolic link: the data may then be next to the link's target. A copy
// of the model that is saved next to the link could not find that data.
func (m *File) dataElsewhere() bool {
	for _, location := range m.Locations() {
		p, err := m.folders.Find(location)
		if err != nil || p.Root != m.folders.Roots[0] {
			return true
		}
	}
	return false
}

func sameFolder(a, b string) (bool, error) {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	if err = cmp.Or(err, otherErr); err != nil {
		return false, err
	}
	return os.SameFile(one, other), nil
}
