package apart

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
)

// most is the largest number of bytes of a model's file in one message.
const most = 8 << 20

// offer describes a model by its checksum and a list of its files. The other machine then requests
// the files, unless it has a copy. The caller calls forget, which is never nil, once the process
// has opened the model.
func (b *backend) offer(m *loaders.Model) (of *model, forget func(), err error) {
	forget = func() {}
	if b.sum, err = m.SHA256(); err != nil {
		return nil, forget, err
	}
	if m, err = m.WithoutLinks(); err != nil {
		return nil, forget, err
	}
	if m.Path() == "" {
		var path string
		if path, forget, err = inFile(m); err != nil {
			return nil, forget, err
		}
		m = loaders.ONNX(path)
	}
	of = &model{Kind: "sum", Name: filepath.Base(m.Path())}
	external, err := m.ExternalData()
	if err != nil {
		return nil, forget, err
	}
	if of.Text, err = m.SHA256(); err != nil {
		return nil, forget, err
	}
	for i, path := range append([]string{m.Path()}, external...) {
		name := of.Name // ONNXWithData's model is in another folder than its data
		if i > 0 {
			if name, err = filepath.Rel(m.Dir(), path); err != nil {
				return nil, forget, err
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, forget, err
		}
		of.Files = append(of.Files, sent{filepath.ToSlash(name), info.Size(), path})
	}
	return of, forget, nil
}

// deliver returns the answer to a request for a part of a model's file. It accepts requests only
// for files of the models that are being opened.
func (s *session) deliver(m *message) (*message, error) {
	i := slices.IndexFunc(s.models, func(of *model) bool { return of != nil && of.Text == m.Of })
	if i < 0 || m.File < 0 || m.File >= len(s.models[i].Files) || m.At < 0 {
		return nil, s.garbage(m)
	}
	data := make([]byte, most)
	file, err := regular.Open(s.models[i].Files[m.File].path)
	n := 0
	if err == nil {
		defer file.Close()
		if n, err = file.ReadAt(data, m.At); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		s.process.kill("")
		_ = s.crashed() // err says more
		return nil, fmt.Errorf("remote: sending the model: %w", err)
	}
	return &message{Does: gives, Tensors: bytesOf(map[string][]byte{"file": data[:n]})}, nil
}

// fetch returns the model with the given description. If this machine has no intact copy yet, fetch
// requests the model's files.
func (c *worker) fetch(of *model) (*loaders.Model, error) {
	name := sha256.Sum256([]byte(of.Text + " " + of.Name))
	folder := filepath.Join(c.folder, "model-"+hex.EncodeToString(name[:]))
	if m := intact(folder, of); m != nil {
		now := time.Now()
		return m, os.Chtimes(folder, now, now) // it is in use
	}
	if err := os.RemoveAll(folder); err != nil { // damaged
		return nil, err
	}
	temporary, err := os.MkdirTemp(c.folder, "new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	for i := range of.Files {
		if err := c.receive(temporary, of, i); err != nil {
			return nil, fmt.Errorf("copying %s: %w", of.Name, err)
		}
	}
	if err := os.Rename(temporary, folder); err != nil && intact(folder, of) == nil {
		return nil, err
	}
	if m := intact(folder, of); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("the copy of %s does not have the expected checksum %s; the model may "+
		"have changed while it was copied", of.Name, of.Text)
}

// intact returns the model in folder, or nil if the model is missing or lacks the expected
// checksum.
func intact(folder string, of *model) *loaders.Model {
	m := loaders.ONNX(filepath.Join(folder, filepath.Base(of.Name)))
	if sum, err := m.SHA256(); err != nil || sum != of.Text {
		return nil
	}
	return m
}

// receive requests one file of a model and writes it to the folder.
func (c *worker) receive(folder string, of *model, i int) error {
	f := of.Files[i]
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(f.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	for at := int64(0); at < f.Size; {
		m, err := c.ask(&message{Does: wants, Of: of.Text, File: i, At: at})
		n := 0
		if err == nil {
			n, err = file.Write(m.bytes("file"))
		}
		if err == nil && n == 0 {
			err = fmt.Errorf("%s ends after %d bytes; expected %d", f.Name, at, f.Size)
		}
		if err != nil {
			return errors.Join(err, file.Close())
		}
		at += int64(n)
	}
	return file.Close()
}
