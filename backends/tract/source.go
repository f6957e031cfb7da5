package tract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// largeModel is the model size in bytes above which tract reads the file itself instead of a copy
// in memory.
const largeModel = 64 << 20

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

// sourceOf returns the source of a model. It keeps the model in memory if possible, because the
// provenance has the checksum of exactly these bytes. Large models and models with external weights
// stay in a file. If such a model exists only in memory, as one with marked tensors does, sourceOf
// writes it to a temporary file.
func sourceOf(model *loaders.Model) (source, error) {
	s := source{done: func() error { return nil }}
	fromFile, err := readsFile(model)
	if err != nil {
		return s, err
	}
	if !fromFile {
		s.Data, err = model.Bytes()
		return s, err
	}
	if model, err = model.WithoutLinks(); err != nil {
		return s, err
	}
	if model.Path() != "" {
		s.Path = model.Path()
		external, err := model.ExternalData()
		if err != nil {
			return s, err
		}
		return s, s.stamp(append([]string{model.Path()}, external...))
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return s, err
	}
	s.Path = filepath.Join(folder, "model.onnx")
	if err := model.Save(s.Path); err != nil {
		return s, errors.Join(err, os.RemoveAll(folder))
	}
	s.done = func() error { return os.RemoveAll(folder) }
	return s, nil
}

// readsFile reports whether tract should read the model's file itself.
func readsFile(model *loaders.Model) (bool, error) {
	size, err := model.Size()
	if err != nil {
		return false, err
	}
	external, err := model.ExternalData()
	return len(external) > 0 || size > largeModel && model.Dir() != "", err
}

// with returns the source with the encoded model fields in more appended.
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
