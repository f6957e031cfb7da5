package onnxfile

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"path"
	"path/filepath"
	"sync"

	"github.com/modelparity/modelparity/internal/filestate"
	"github.com/modelparity/modelparity/internal/modelfiles"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// checkExternalData checks every file of external data, so that no engine fails in the middle of a
// run because of a bad file. It opens files with package os, so that `go test` notices changed
// files.
func (m *File) checkExternalData(tensors []onnxwire.External) error {
	sizes := map[string]int64{}
	for _, t := range tensors {
		if err := modelfiles.Plain(t.Location); err != nil {
			return fmt.Errorf("byte %d: tensor %q: %w", t.At, t.Tensor, aboutData(t.Location, err))
		}
		if m.Dir == "" || m.ignored {
			continue
		}
		size, known := sizes[t.Location]
		if !known {
			var err error
			if size, err = m.dataSize(t.Location); err != nil {
				return fmt.Errorf("byte %d: tensor %q: %w", t.At, t.Tensor, err)
			}
			sizes[t.Location] = size
		}
		if t.Offset > size || t.Length > size-t.Offset {
			return fmt.Errorf("byte %d: tensor %q: external data %q has %d bytes, "+
				"but the tensor needs %d bytes from offset %d", t.At, t.Tensor, t.Location, size,
				max(t.Length, 0), t.Offset)
		}
	}
	return nil
}

func (m *File) dataSize(location string) (int64, error) {
	f, err := m.openData(location)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, modelfiles.Reason(err)
	}
	return info.Size(), nil
}

// readData reads a range of a data file. It checks the size of the file before it allocates memory.
func (m *File) readData(location string, offset, length int64) ([]byte, error) {
	f, err := m.openData(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if length < 0 || offset > info.Size() || length > info.Size()-offset {
		return nil, fmt.Errorf("%s has %d bytes, too few to read %d bytes at offset %d", location,
			info.Size(), length, offset)
	}
	data := make([]byte, length)
	_, err = f.ReadAt(data, offset)
	return data, err
}

// ExternalData returns the paths of the files that contain the model's external weights, each path
// once, in the order in which the model refers to them. The paths start with [File.Dir]. But if the
// model's path is a symbolic link and a data file exists only next to the link's target, the path
// of the data file starts with the target's folder. For a model in memory, paths are relative.
func (m *File) ExternalData() ([]string, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	var paths []string
	for _, location := range m.Locations() {
		file := filepath.FromSlash(location)
		if m.Dir != "" {
			p, err := m.folders.Find(location)
			if err != nil {
				return nil, m.Located(aboutData(location, err))
			}
			file = p.Path
		}
		paths = append(paths, file)
	}
	return paths, nil
}

// Locations returns the paths of external data as they are written in the model, with slashes and
// without duplicates.
func (m *File) Locations() []string {
	var list []string
	seen := map[string]bool{}
	for _, t := range m.Structure.External {
		location := path.Clean(t.Location)
		if !seen[location] {
			seen[location] = true
			list = append(list, location)
		}
	}
	return list
}

// SHA256 returns the model's hexadecimal SHA-256, computed once. For a model without external data,
// it equals the output of sha256sum. Otherwise it also covers the name and bytes of each file of
// [File.ExternalData]:
//
//	{ sha256sum <model.onnx; sha256sum weights.bin; } | sha256sum
//
// It is an error if a model in memory has external data.
func (m *File) SHA256() (string, error) {
	if m == nil || m.content == nil {
		return "", m.Load()
	}
	return m.digest()
}

func (m *File) computeSHA256() (string, error) {
	if err := m.Load(); err != nil {
		return "", err
	}
	hash, err := m.hashed()
	if err != nil {
		return "", err
	}
	digest := new(modelfiles.Digest)
	digest.Add(modelfiles.Model, hash.Sum(nil))
	for _, location := range m.Locations() {
		if err := m.addData(digest, location); err != nil {
			return "", m.Located(err)
		}
	}
	return digest.Sum(), nil
}

// hashed returns the hash of the model's bytes, without external data. For a model that
// [File.Appended] made, hashed adds the appended bytes to the hash of the original model, so that
// gigabytes are hashed only once.
func (m *File) hashed() (hash.Hash, error) {
	state, err := m.sum()
	if err != nil {
		return nil, err
	}
	return state.(hash.Cloner).Clone()
}

func (m *File) computeSum() (hash.Hash, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	if m.IsMarked() {
		all := m.content.(*Spliced)
		sum, err := m.unmarked.hashed()
		if err != nil {
			return nil, err
		}
		for _, p := range all.pieces[1:] {
			sum.Write(p.literal)
		}
		return sum, nil
	}
	sum := sha256.New()
	f, isFile := m.content.(*file)
	if !isFile {
		_, err := m.WriteTo(sum)
		return sum, err
	}
	state, known := filestate.Of(f.first)
	if cached, ok := sums.Load(state); ok && known {
		return cached.(hash.Hash), nil
	}
	_, err := m.WriteTo(sum)
	if err == nil && known && state.LeftAlone(f.read) {
		sums.Store(state, sum)
	}
	return sum, err
}

// sums caches the hashes of files that this process has read, by [filestate.State], because the
// specs of a suite often use the same file.
var sums sync.Map

func (m *File) addData(to *modelfiles.Digest, location string) error {
	f, err := m.openData(location)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // the file was only read
	return to.AddFile(location, f)
}
