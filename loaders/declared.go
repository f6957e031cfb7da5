package loaders

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Declared returns what the model declares about the tensors of these names: its inputs, its
// outputs and value_info. A name about which it declares nothing is left out.
func (m *Model) Declared(names ...string) (map[string]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	found := map[string]Value{}
	err := m.file.EachDeclared(func(v onnxwire.Value) {
		if wanted[v.Name] && v.Type.Kind != onnxwire.Untyped {
			found[v.Name] = valueOf(v)
		}
	})
	if err != nil {
		return nil, m.file.Located(fmt.Errorf("what is declared: %w", err))
	}
	return found, nil
}
