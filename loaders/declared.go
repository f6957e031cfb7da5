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
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(fmt.Errorf("what is declared: %w", err))
	}
	defer done()
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	found := map[string]Value{}
	learn := func(v onnxwire.Value) {
		if wanted[v.Name] && v.Type.Kind != onnxwire.Untyped {
			found[v.Name] = valueOf(v)
		}
	}
	c := cut{model: m, graph: &m.structure.Graph, source: source,
		reader: onnxwire.NewReader(source)}
	if err := c.eachValue(learn); err != nil {
		return nil, m.located(err)
	}
	for _, v := range c.graph.Inputs {
		learn(v)
	}
	for _, v := range c.graph.Outputs {
		learn(v)
	}
	return found, nil
}
