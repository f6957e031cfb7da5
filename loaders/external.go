package loaders

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// checkExternalData looks at every file of external data. It goes through os, so that `go test`
// sees a changed one, and leaves nothing to be found out by an engine halfway through a run.
func (m *Model) checkExternalData(tensors []onnxwire.External) error {
	sizes := map[string]int64{}
	for _, t := range tensors {
		if !filepath.IsLocal(t.Location) {
			return fmt.Errorf("byte %d: tensor %q: external data at %q: "+
				"it must be a relative path inside the model's folder", t.At, t.Tensor, t.Location)
		}
		if m.dir == "" {
			continue
		}
		size, known := sizes[t.Location]
		if !known {
			info, err := os.Stat(filepath.Join(m.dir, t.Location))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return fmt.Errorf("byte %d: tensor %q: external data %q is missing; "+
					"copy it beside the model", t.At, t.Tensor, t.Location)
			case err != nil:
				return fmt.Errorf("byte %d: tensor %q: external data %q: %w",
					t.At, t.Tensor, t.Location, reason(err))
			case !info.Mode().IsRegular():
				return fmt.Errorf("byte %d: tensor %q: external data %q is no regular file",
					t.At, t.Tensor, t.Location)
			}
			size = info.Size()
			sizes[t.Location] = size
		}
		if t.Offset > size || t.Length > size-t.Offset {
			return fmt.Errorf("byte %d: tensor %q: external data %q has %d bytes, "+
				"and the tensor needs %d at byte %d", t.At, t.Tensor, t.Location, size,
				max(t.Length, 0), t.Offset)
		}
	}
	return nil
}

// ExternalData is the files that hold weights outside the model, in the order in which it names
// them, each once. They are joined to [Model.Dir]; for a model in memory they are relative.
func (m *Model) ExternalData() ([]string, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	var paths []string
	seen := map[string]bool{}
	for _, t := range m.structure.External {
		path := filepath.Join(m.dir, t.Location)
		if !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// SHA256 is the hexadecimal SHA-256 of the model's bytes, followed by those of each file that
// [Model.ExternalData] names, in order. Without external data it is what sha256sum prints. It is
// computed once. A model in memory that has external data has no such sum: an error.
func (m *Model) SHA256() (string, error) {
	if m == nil || m.content == nil {
		return "", m.Load()
	}
	return m.digest()
}

func (m *Model) computeSHA256() (string, error) {
	external, err := m.ExternalData()
	if err != nil {
		return "", err
	}
	if m.dir == "" && len(external) > 0 {
		return "", m.located(fmt.Errorf(
			"external data %q is out of reach of a model in memory; load it by its path",
			external[0]))
	}
	hash := sha256.New()
	if _, err := m.WriteTo(hash); err != nil {
		return "", err
	}
	for _, path := range external {
		if err := appendFile(hash, path); err != nil {
			return "", m.located(fmt.Errorf("external data: %w", err))
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func appendFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
