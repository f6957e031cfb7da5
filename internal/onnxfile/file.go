// Package onnxfile is an ONNX model as a file: its bytes, its structure, the files with its
// weights, and copies of it with other fields. Packages loaders and loaders/edit share it.
package onnxfile

import (
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/internal/modelfiles"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// File is one ONNX model. It is read and scanned once, by the first call of Load.
type File struct {
	Path string // "" for a model that is not a file
	Dir  string // where external data is; "" for a model in memory
	Name string

	// Structure is what the scan found, once Load was called.
	Structure *onnxwire.Model

	content content
	folders modelfiles.Folders // of external data, once loaded
	dataIn  string             // the folder of external data, where that is not the model's own
	ignored bool               // external data

	unmarked *File // what [File.Appended] put bytes behind, or nil

	once sync.Once
	err  error

	digest func() (string, error)
	sum    func() (hash.Hash, error) // of the bytes alone
}

// New names the model at path.
func New(path string) *File {
	return newFile(&File{Path: path, Dir: filepath.Dir(path), Name: filepath.Base(path),
		content: &file{path: path}})
}

// FromBytes is the model that data holds.
func FromBytes(name string, data []byte) *File {
	return newFile(&File{Name: name, content: memory(data)})
}

// NewWithData names the model at path whose external data lies in another folder.
func NewWithData(path, folder string) *File {
	return newFile(&File{Dir: folder, Name: filepath.Base(path), content: &file{path: path},
		dataIn: folder})
}

// NewStructure names the model at path, and reads none of its external data.
func NewStructure(path string) *File {
	f := New(path)
	f.ignored = true
	return f
}

func newFile(m *File) *File {
	m.digest, m.sum = sync.OnceValues(m.computeSHA256), sync.OnceValues(m.computeSum)
	return m
}

// Derive is a model with other bytes and the same name and external data.
func (m *File) Derive(bytes *Spliced) *File { return m.derive(bytes) }

func (m *File) derive(c content) *File {
	return newFile(&File{Dir: m.Dir, Name: m.Name, content: c, folders: m.folders,
		ignored: m.ignored})
}

// Appended is the model with more bytes behind its own, which protobuf merges into it. Its checksum
// goes on from the model's.
func (m *File) Appended(more []byte) (*File, error) {
	source, done, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer done()
	all := m.Splice()
	all.Copy(onnxwire.Span{End: source.Size()})
	all.Write(more)
	result := m.derive(all)
	result.unmarked = m
	return result, nil
}

// IsMarked reports whether [File.Appended] made the model.
func (m *File) IsMarked() bool { return m.unmarked != nil }

// Open gives the bytes for reading, until done is called.
func (m *File) Open() (source onnxwire.Source, done func(), err error) {
	return m.content.open()
}

// Load reads and scans the model now. Every other question calls it; calling it again costs
// nothing and gives the same error. Errors name the file and the byte, and say what is wrong: a
// file that is missing, empty, truncated, of another format, without a graph, or whose external
// data is missing, too short, or outside the model's folder. A nil model, as a variable that is
// set only after the spec tree is built, is an error too.
func (m *File) Load() error {
	if m == nil || m.content == nil {
		return errors.New("loaders: no model; make one with loaders.ONNX(path)")
	}
	m.once.Do(func() {
		if m.Structure, m.err = m.load(); m.err != nil {
			m.err = m.Located(m.err)
		}
	})
	return m.err
}

func (m *File) load() (*onnxwire.Model, error) {
	source, done, err := m.content.open()
	if err != nil {
		return nil, err
	}
	defer done()
	structure, err := scan(source)
	if err != nil {
		return nil, err
	}
	if len(structure.External) > 0 && m.Dir != "" && !m.ignored && m.folders.Named == "" {
		if m.dataIn != "" {
			m.folders, err = modelfiles.FoldersIn(m.dataIn)
		} else {
			m.folders, err = modelfiles.FoldersOf(m.Path)
		}
		if err != nil {
			return nil, err
		}
	}
	return structure, m.checkExternalData(structure.External)
}

// Located says which model an error is about.
func (m *File) Located(err error) error {
	if m.Path != "" {
		return fmt.Errorf("loaders: %s: %w", m.Path, err)
	}
	return fmt.Errorf("loaders: model %s: %w", m.Name, err)
}
