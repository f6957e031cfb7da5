package tract

import (
	"slices"

	"github.com/modelparity/modelparity/backends/internal/native"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// source is the memory or the file from which tract reads a model.
type source struct {
	abi.Source
	done func() error // called once the source is no longer read
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
	s.Path, s.done, err = native.File(model, "model.onnx")
	return s, err
}

// with returns a copy of the source with additional protobuf fields appended to the model's bytes.
func (s *source) with(fields []byte) abi.Source {
	from := s.Source
	if len(fields) > 0 {
		from.Data = slices.Concat(from.Data, fields)
	}
	return from
}
