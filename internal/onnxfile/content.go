package onnxfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/modelparity/modelparity/internal/modelfiles"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/regular"
)

// content is the source of a model's bytes: a file, memory, or parts of another model with new
// bytes between them.
type content interface {
	// open makes the bytes available for reading until done is called.
	open() (source onnxwire.Source, done func(), err error)
}

// allBytes returns all bytes of a model; callers must not modify the bytes.
func allBytes(c content) ([]byte, error) {
	source, done, err := c.open()
	if err != nil {
		return nil, err
	}
	defer done()
	switch c := c.(type) {
	case memory:
		return c, nil
	case *file:
		if c.data != nil { // written once, under open's lock, before open returned
			return c.data, nil
		}
	}
	return readAll(source)
}

type memory []byte

func (m memory) open() (onnxwire.Source, func(), error) {
	return bytes.NewReader(m), func() {}, nil
}

// kept is the maximum size of a file that is read once and kept in memory. Larger files are opened
// again for each use, so that a 1.9 GB model does not take 1.9 GB of memory.
const kept = 64 << 20

// file is a model in a file. All methods read the same version of the file: a small file is kept in
// memory, and it is an error if a large file has changed since it was first opened.
type file struct {
	// opened returns the path of the file to read. Under an overlay, this may be a changed copy of the
	// model; see package overlay.
	opened func() string

	mutex sync.Mutex
	first fs.FileInfo // describes the file when it was first opened
	read  time.Time   // time of the first read
	data  []byte      // content of a small file, after it was read
}

// errNoPath is the error for a model whose path is empty. Do not add the name of the model to it.
var errNoPath = errors.New("loaders: the path of the model is empty")

func newContent(path string) *file {
	return &file{opened: sync.OnceValue(func() string {
		return overlay.Path(overlay.Model, path)
	})}
}

func (f *file) open() (onnxwire.Source, func(), error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.data != nil {
		return bytes.NewReader(f.data), func() {}, nil
	}
	if f.opened() == "" {
		return nil, nil, errNoPath
	}
	opened, err := regular.Open(f.opened())
	if not := new(regular.Error); errors.As(err, &not) && not.Mode.IsDir() {
		return nil, nil, errors.New("this is a directory; name the .onnx file in it")
	}
	if err != nil {
		return nil, nil, modelfiles.Reason(err)
	}
	info, err := f.check(opened)
	if err != nil {
		opened.Close()
		return nil, nil, err
	}
	section := io.NewSectionReader(opened, 0, info.Size())
	if info.Size() > kept {
		return section, func() { opened.Close() }, nil
	}
	defer opened.Close()
	if f.data, err = readAll(section); err != nil {
		return nil, nil, err
	}
	return bytes.NewReader(f.data), func() {}, nil
}

// check returns an error if the opened file is empty, or has changed since it was opened for the
// first time.
func (f *file) check(opened *os.File) (fs.FileInfo, error) {
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, modelfiles.Reason(err)
	case info.Size() == 0:
		return nil, errors.New("the file is empty")
	}
	if f.first == nil {
		f.first, f.read = info, time.Now()
	}
	if info.Size() != f.first.Size() || !info.ModTime().Equal(f.first.ModTime()) {
		return nil, errors.New("the file changed while it was in use; open the model again")
	}
	return info, nil
}

func readAll(source onnxwire.Source) ([]byte, error) {
	data := make([]byte, source.Size())
	if n, err := source.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %d of %d bytes: %w", n, len(data), err)
	}
	return data, nil
}

// Bytes returns the content of the model's file; do not modify it. A file above 64 MiB is read
// again on every call; [File.WriteTo] does not keep the whole model in memory.
func (m *File) Bytes() ([]byte, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	data, err := allBytes(m.content)
	return data, m.Located(err)
}

// Size returns the length of [File.Bytes], which excludes external data.
func (m *File) Size() (int64, error) {
	if err := m.Load(); err != nil {
		return 0, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return 0, m.Located(err)
	}
	defer done()
	return source.Size(), nil
}

// WriteTo writes the model's bytes, without external data, to w; see io.WriterTo.
func (m *File) WriteTo(w io.Writer) (int64, error) {
	if err := m.Load(); err != nil {
		return 0, err
	}
	n, err := writeContent(w, m.content)
	return n, m.Located(err)
}

func writeContent(w io.Writer, c content) (int64, error) {
	source, done, err := c.open()
	if err != nil {
		return 0, err
	}
	defer done()
	return io.Copy(w, io.NewSectionReader(source, 0, source.Size()))
}
