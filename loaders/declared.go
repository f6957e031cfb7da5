package loaders

import "github.com/modelparity/modelparity/internal/onnxwire"

// Declared returns the declared types and shapes of the named tensors, from the graph's inputs,
// outputs and value_info. Names without a declaration are omitted.
func (m *Model) Declared(names ...string) (map[string]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	found := map[string]Value{}
	return found, m.file.EachDeclared(func(v onnxwire.Value) {
		if wanted[v.Name] && v.Type.Kind != onnxwire.Untyped {
			found[v.Name] = valueOf(v)
		}
	})
}
