package loaders

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/whole"
)

// embeddable is how much external data [Model.Save] takes into the file. protobuf ends at 2 GiB.
const embeddable = 1 << 30

// Save writes the model to path, whole or not at all. In another folder than its external data's
// the weights that the outputs need are taken into the file, so that one file is the model; above
// 1 GiB they are copied beside it under their own names instead.
func (m *Model) Save(path string) error {
	if err := m.Load(); err != nil {
		return err
	}
	saved := m
	if len(m.structure.External) > 0 && !sameFolder(m.dir, filepath.Dir(path)) {
		var err error
		if saved, err = m.movable(filepath.Dir(path)); err != nil {
			return m.located(fmt.Errorf("save to %s: %w", path, err))
		}
	}
	err := whole.Write(path, func(w io.Writer) error {
		_, err := saved.WriteTo(w)
		return err
	})
	if err != nil {
		return m.located(fmt.Errorf("save to %s: %w", path, err))
	}
	return nil
}

// movable is the model with its external data inside, or with a copy of it in folder.
func (m *Model) movable(folder string) (*Model, error) {
	var total int64
	embed := true
	weights := map[string]bool{}
	for i := range m.structure.Graph.Initializers {
		weights[m.structure.Graph.Initializers[i].Name] = true
	}
	for _, e := range m.structure.External {
		length, err := m.externalLength(e)
		if err != nil {
			return nil, err
		}
		total += length
		embed = embed && weights[e.Tensor] // one inside an attribute stays where it is
	}
	if embed && total <= embeddable {
		outputs, err := m.Outputs()
		if err != nil {
			return nil, err
		}
		return m.cutOut(nil, outputs, true)
	}
	copied := map[string]bool{}
	for _, e := range m.structure.External {
		if copied[e.Location] {
			continue
		}
		copied[e.Location] = true
		if err := copyFile(filepath.Join(folder, e.Location), m.externalPath(e)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Model) externalPath(e onnxwire.External) string { return filepath.Join(m.dir, e.Location) }

// externalLength is the number of bytes of one tensor's external data.
func (m *Model) externalLength(e onnxwire.External) (int64, error) {
	if e.Length >= 0 {
		return e.Length, nil
	}
	info, err := os.Stat(m.externalPath(e))
	if err != nil {
		return 0, err
	}
	return max(0, info.Size()-e.Offset), nil
}

// embedded is the TensorProto of an external initializer with its data inside.
func (c *cut) embedded(t *onnxwire.Tensor) ([]byte, error) {
	m := c.model
	for _, e := range m.structure.External {
		if e.Tensor != t.Name {
			continue
		}
		length, err := m.externalLength(e)
		if err != nil {
			return nil, err
		}
		file, err := os.Open(m.externalPath(e))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		data := make([]byte, length)
		if _, err := file.ReadAt(data, e.Offset); err != nil {
			return nil, fmt.Errorf("tensor %q: external data %s: %w", t.Name, e.Location, err)
		}
		source, done, err := m.content.open()
		if err != nil {
			return nil, err
		}
		defer done()
		message := make([]byte, t.Span.Len())
		if _, err := source.ReadAt(message, t.Span.Start); err != nil {
			return nil, err
		}
		return onnxwire.Embed(message, data), nil
	}
	return nil, fmt.Errorf("tensor %q has no external data", t.Name)
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// copyFile copies a file whole, making the folders it needs.
func copyFile(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return whole.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}
