package tract

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends/internal/native"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// source is the memory or the file from which tract reads a model.
type source struct {
	abi.Source
	files []stamp      // files that are read again for each set of shapes
	done  func() error // called once the source is no longer read
}

// stamp records the state of a file at the time its checksum was computed.
type stamp struct {
	path string
	info fs.FileInfo
}

// sourceOf returns the source of a model.
func sourceOf(model *loaders.Model) (source, error) {
	s := source{done: func() error { return nil }}
	fromFile, err := native.ReadsFile(model)
	switch {
	case err != nil:
		return s, err
	case !fromFile:
		s.Data, err = model.Bytes()
		return s, err
	}
	if s.Path, s.done, err = native.File(model, "model.onnx"); err != nil || s.Path != model.Path() {
		return s, err
	}
	external, err := model.ExternalData()
	if err != nil {
		return s, err
	}
	return s, s.stamp(append([]string{s.Path}, external...))
}

// with returns a copy of the source whose data ends with more, which holds encoded fields of a
// model.
func (s *source) with(more []byte) abi.Source {
	from := s.Source
	if len(more) > 0 {
		from.Data = slices.Concat(from.Data, more)
	}
	return from
}

func (s *source) stamp(paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		s.files = append(s.files, stamp{path, info})
	}
	return nil
}

// unchanged returns an error if a file has changed since its checksum was computed.
func (s *source) unchanged() error {
	for _, f := range s.files {
		info, err := os.Stat(f.path)
		if err != nil {
			return err
		}
		if info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime()) {
			return fmt.Errorf("%s changed while it was in use; open the model again",
				filepath.Base(f.path))
		}
	}
	return nil
}
