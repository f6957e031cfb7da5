// Package onnxfile reads and copies ONNX model files: their bytes, their structure, and the files
// that contain their weights. Packages loaders and loaders/edit share it.
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

// File is one ONNX model. The first call of Load reads and scans it.
type File struct {
	Path string // "" for a model that is not a file
	Dir  string // the folder of external data; "" for a model in memory
	Name string

	// Structure is the result of the scan, valid after Load.
	Structure *onnxwire.Model

	content content
	folders modelfiles.Folders // folders of external data, after loading
	dataIn  string             // folder of external data, if it is not the model's folder
	ignored bool               // whether external data is not checked

	unmarked *File // the model that [File.Appended] extended, or nil

	once sync.Once
	err  error

	digest func() (string, error)
	sum    func() (hash.Hash, error) // hash of the bytes, without external data
}

// New returns the model at path.
func New(path string) *File {
	return newFile(&File{Path: path, Dir: filepath.Dir(path), Name: filepath.Base(path),
		content: newContent(path)})
}

// FromBytes returns the model encoded in data. name is its name in messages.
func FromBytes(name string, data []byte) *File {
	return newFile(&File{Name: name, content: memory(data)})
}

// NewWithData returns the model at path, whose external data is in the given folder.
func NewWithData(path, folder string) *File {
	return newFile(&File{Dir: folder, Name: filepath.Base(path), content: newContent(path),
		dataIn: folder})
}

// NewStructure returns the model at path. Its external data is neither read nor checked.
func NewStructure(path string) *File {
	f := New(path)
	f.ignored = true
	return f
}

func newFile(m *File) *File {
	m.digest, m.sum = sync.OnceValues(m.computeSHA256), sync.OnceValues(m.computeSum)
	return m
}

// Opened returns the path of the file that is read: Path or, under an overlay, the file that
// replaces it. It returns "" for a model in memory and for a changed model, because no file
// contains exactly its bytes.
func (m *File) Opened() string {
	if m.Path == "" {
		return ""
	}
	return m.content.(*file).opened()
}

// Derive returns a model with the given bytes and with m's name and external data.
func (m *File) Derive(bytes *Spliced) *File {
	return newFile(&File{Dir: m.Dir, Name: m.Name, content: bytes, folders: m.folders,
		ignored: m.ignored})
}

// Appended returns the model with more bytes appended; protobuf merges them into the model. The
// checksum of the result is computed from the state of m's checksum, so that m's bytes are hashed
// only once.
func (m *File) Appended(more []byte) (*File, error) {
	size, err := m.Size()
	if err != nil {
		return nil, err
	}
	all := m.Splice()
	all.Copy(onnxwire.Span{End: size})
	all.Write(more)
	result := m.Derive(all)
	result.unmarked = m
	return result, nil
}

// IsMarked reports whether [File.Appended] made the model.
func (m *File) IsMarked() bool { return m.unmarked != nil }

// Open returns a reader of the model. If the file cannot be opened, the reader's Err says why. Call
// done after the last read.
func (m *File) Open() (r *onnxwire.Reader, done func()) {
	source, done, err := m.content.open()
	if err != nil {
		return onnxwire.Failed(err), func() {}
	}
	return onnxwire.NewReader(source), done
}

// Load reads and scans the model now. All other methods call it. Repeated calls cost nothing and
// return the same error. Errors name the file and the byte offset. It is an error if the file is
// missing, empty, truncated, in a different format or without a graph, or if external data is
// missing, too short or outside the model's folder. It is also an error if m is nil. For example, m
// is nil if the caller passes a variable before a BeforeEach node has set the variable.
func (m *File) Load() error {
	if m == nil || m.content == nil {
		return errors.New("loaders: no model; create one with loaders.ONNX(path)")
	}
	m.once.Do(func() {
		m.Structure, m.err = m.load()
		m.err = m.Located(m.err)
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
			m.folders, err = modelfiles.FoldersOf(m.Opened())
		}
		if err != nil {
			return nil, err
		}
	}
	return structure, m.checkExternalData(structure.External)
}

// Located adds the model's name to an error; nil stays nil.
func (m *File) Located(err error) error {
	switch {
	case err == nil || err == errNoPath:
		return err
	case m.Path != "":
		return fmt.Errorf("loaders: %s: %w", m.Path, err)
	}
	return fmt.Errorf("loaders: model %s: %w", m.Name, err)
}
