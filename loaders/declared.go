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
	err := m.eachDeclared(func(v onnxwire.Value) {
		if wanted[v.Name] && v.Type.Kind != onnxwire.Untyped {
			found[v.Name] = valueOf(v)
		}
	})
	if err != nil {
		return nil, m.located(fmt.Errorf("what is declared: %w", err))
	}
	return found, nil
}

// eachDeclared reads what the model declares about tensors: value_info first, then inputs and
// outputs, whose word is the last.
func (m *Model) eachDeclared(visit func(onnxwire.Value)) error {
	source, done, err := m.content.open()
	if err != nil {
		return err
	}
	defer done()
	graph := &m.structure.Graph
	c := cut{model: m, graph: graph, source: source, reader: onnxwire.NewReader(source)}
	if err := c.eachValue(visit); err != nil {
		return err
	}
	for _, v := range graph.Inputs {
		visit(v)
	}
	for _, v := range graph.Outputs {
		visit(v)
	}
	return nil
}
