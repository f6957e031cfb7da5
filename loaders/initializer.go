package loaders

import "github.com/modelparity/modelparity/tensor"

// Initializer is a weight of the graph, as far as it is known without decoding it.
type Initializer struct {
	Name     string
	Type     tensor.ElementType
	TypeName string
	Shape    tensor.Shape
	External bool // the data is in another file
	Sparse   bool
}

// Initializers is the graph's weights, in order. Their data is not read.
func (m *Model) Initializers() ([]Initializer, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	wire := m.structure.Graph.Initializers
	list := make([]Initializer, len(wire))
	for i := range wire {
		t := &wire[i]
		list[i] = Initializer{Name: t.Name, Type: elementTypeOf(t.Type), TypeName: dataTypeName(t.Type),
			External: t.External, Sparse: t.Sparse}
		for _, d := range t.Dims {
			list[i].Shape = append(list[i].Shape, int(d))
		}
	}
	return list, nil
}
