package onnxfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// PageSize is the alignment of weights in a data file, so that they can be mapped into memory.
const PageSize = 4096

// External configures which weights [File.SaveExternal] writes to separate files.
type External struct {
	// File is the name of the data file, in the model's folder. The default is the model's file
	// name with ".data" appended.
	File string
	// Threshold is the minimum size in bytes of a weight to write to a separate file; 0 means 1024.
	// Empty weights always stay in the model, and so do scalars and vectors below 1024 bytes:
	// engines refuse a model if they cannot infer its shapes from it, for example because the
	// sizes that a Reshape reads are in another file.
	Threshold int64
	// If Each is true, each weight is written to its own file, whose name is File with a number.
	Each bool
}

// errNoData is returned by a writer that has no data to write, so that no empty file is created.
var errNoData = errors.New("no data")

// defaultThreshold is the default of [External.Threshold], in bytes. The Python package onnx has
// the same default.
const defaultThreshold = 1024

// SaveExternal is like [File.Save] but writes the weights to a separate file, and returns the files
// that it wrote. It moves the weights of the graph and of the bodies of nodes, wherever they were
// before; weights below the threshold go into the model file. SaveExternal keeps one weight in
// memory at a time.
//
// The data is written first, so a model never refers to incomplete data. If no weight reaches the
// threshold, no data file is written. It is an error if o.File is outside the model's folder, or is
// a file from which the model still reads weights.
func (m *File) SaveExternal(path string, o External) (written []string, err error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	s := saving{model: m, path: path, External: o, placed: map[onnxwire.External]int64{}}
	if s.File == "" {
		s.File = filepath.Base(path) + ".data"
	}
	s.Threshold = max(cmp.Or(s.Threshold, defaultThreshold), 1)
	if err = s.check(); err == nil {
		err = s.save()
	}
	if err != nil {
		return nil, m.Located(fmt.Errorf("save to %s: %w", path, err))
	}
	return s.written, nil
}

// saving writes a model and moves its weights: the large ones to the data file External.File or, if
// that is "", all weights into the model file.
type saving struct {
	External
	*Rewriting
	model   *File
	path    string
	data    io.Writer                   // the data file, while it is written
	size    int64                       // number of bytes written to data
	placed  map[onnxwire.External]int64 // offset in data, by old place without tensor and span
	written []string
}

// check returns an error if the files cannot be written as requested.
func (s *saving) check() error {
	clean := filepath.Clean(s.File)
	switch {
	case s.model.ignored:
		return errors.New("the model was opened without its external data, so its weights cannot be " +
			"moved")
	case !filepath.IsLocal(s.File) || clean == ".":
		return fmt.Errorf("external data must be in the model's folder, but %q is outside it", s.File)
	case clean == filepath.Base(s.path):
		return fmt.Errorf("%q is the model itself; choose a different data file", s.File)
	case wholefile.IsStream(s.path):
		return errors.New("external data must be in the model's folder, but this is not a regular file")
	}
	data := filepath.Join(filepath.Dir(s.path), s.File)
	if err := wholefile.Beside(s.path, data); err != nil || len(s.model.Structure.External) == 0 {
		return err
	}
	read, err := s.model.ExternalData()
	if err != nil {
		return err
	}
	target, err := wholefile.Resolve(data)
	if err != nil {
		return err
	}
	for _, path := range read {
		if other, err := wholefile.Resolve(path); err == nil && other.Path == target.Path {
			return fmt.Errorf("the model still reads weights from %s; choose a different data file", path)
		}
	}
	return nil
}

// save writes the data and then the model.
func (s *saving) save() (err error) {
	var model *File
	rewrite := func(w io.Writer) (err error) {
		s.data = w
		model, err = s.model.rewrite(func(r *Rewriting) {
			s.Rewriting, r.Change = r, s.change
		})
		return err
	}
	if s.Each || s.File == "" {
		err = rewrite(nil)
	} else {
		data := filepath.Join(filepath.Dir(s.path), s.File)
		s.written = append(s.written, data)
		err = wholefile.Write(data, func(w io.Writer) error {
			err := rewrite(w)
			if err == nil && s.size == 0 {
				err = errNoData
			}
			return err
		})
		if errors.Is(err, errNoData) {
			s.written, err = nil, nil
		}
	}
	if err != nil {
		return err
	}
	s.written = slices.Insert(s.written, 0, s.path)
	return model.writeFile(s.path)
}

// change writes a field whose weights have to move, with each weight in its new place. It returns
// false if the field can be copied unchanged.
func (s *saving) change(out *Spliced, in onnxwire.Message, f onnxwire.Field) bool {
	outside := s.model.External(f.Body) != nil
	switch member := in.Member(f.Number); {
	case in == onnxwire.GraphMessage && f.Number == onnxwire.GraphInitializer:
		return s.weight(out, f, outside)
	case member == onnxwire.TensorMessage && outside: // an attribute
		t := s.Tensor(f.Body)
		value, err := s.model.Weight(s.Reader, &t)
		s.Fail(err)
		s.embed(out, f, t.Name, value)
	case member == onnxwire.OtherMessage || member == onnxwire.TensorMessage:
		return false
	default:
		s.Enter(out, in, f)
	}
	return true
}

// embed writes a tensor as a field, with its data in the model file.
func (s *saving) embed(out *Spliced, f onnxwire.Field, name string, value *tensor.Tensor) {
	if s.Err() == nil {
		message, err := onnxpb.Append(nil, name, value)
		s.Fail(err)
		out.Write(onnxwire.AppendMessage(nil, f.Number, message))
	}
}

// weight writes an initializer: its data goes to the data file if it reaches the threshold, and
// otherwise into the model file. weight returns false if the field can be copied unchanged.
func (s *saving) weight(out *Spliced, f onnxwire.Field, outside bool) bool {
	if !outside && f.Body.Len() < s.Threshold {
		return false
	}
	t := s.Tensor(f.Body)
	value, err := s.model.Weight(s.Reader, &t)
	if err != nil {
		if outside {
			s.Fail(fmt.Errorf("initializer %q: %w", t.Name, err))
		}
		return false // package tensor lacks the type
	}
	data, least := value.Bytes(), s.Threshold
	if len(t.Dims) < 2 {
		least = max(least, defaultThreshold)
	}
	if int64(len(data)) < least {
		if outside {
			s.embed(out, f, t.Name, value)
		}
		return outside
	}
	location, at, err := s.put(data, s.model.External(f.Body))
	s.Fail(err)
	weight := s.TensorWithout(f.Body)
	weight.Write(Reference(location, at, int64(len(data))))
	out.Embed(f.Number, weight)
	return true
}

// put writes data to a data file, and returns the file and the offset of the data. from is the
// place of the data in the original model; tensors that shared their data there share it in the
// data file, too.
func (s *saving) put(data []byte, from *onnxwire.External) (location string, at int64, err error) {
	if s.Each {
		location = fmt.Sprintf("%s.%d", filepath.ToSlash(s.File), len(s.written)+1)
		path := filepath.Join(filepath.Dir(s.path), location)
		if err := wholefile.Beside(s.path, path); err != nil {
			return "", 0, err
		}
		s.written = append(s.written, path)
		return location, 0, wholefile.Write(path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	var old onnxwire.External
	if from != nil {
		old = onnxwire.External{Location: from.Location, Offset: from.Offset, Length: from.Length}
		if at, shared := s.placed[old]; shared {
			return filepath.ToSlash(s.File), at, nil
		}
	}
	at = (s.size + PageSize - 1) &^ (PageSize - 1)
	s.placed[old] = at
	if _, err = s.data.Write(make([]byte, at-s.size)); err == nil {
		_, err = s.data.Write(data)
	}
	s.size = at + int64(len(data))
	return filepath.ToSlash(s.File), at, err
}

// isTensorData reports whether a field of a TensorProto contains its data or the location of its
// data.
func isTensorData(number protowire.Number) bool {
	return number >= 4 && number <= 7 || number >= 9 && number <= 11 ||
		number == onnxwire.TensorExternalData || number == onnxwire.TensorDataLocation
}
