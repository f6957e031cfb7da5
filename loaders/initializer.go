package loaders

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Initializer describes a weight of the graph without its data.
type Initializer struct {
	Name     string             `json:"name"`
	Type     tensor.ElementType `json:"-"`
	TypeName string             `json:"type"`
	Shape    tensor.Shape       `json:"shape"`
	External bool               `json:"external,omitempty"` // the data is in another file
	Sparse   bool               `json:"sparse,omitempty"`
}

// Initializers returns the graph's weights, in graph order, without reading their data.
func (m *Model) Initializers() ([]Initializer, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	r, done := m.file.Open()
	defer done()
	var list []Initializer
	for i := range m.file.Structure.Graph.Initializers {
		one := initializerOf(&m.file.Structure.Graph.Initializers[i])
		r.Take(2*int(unsafe.Sizeof(one)) + 8*len(one.Shape))
		if r.Err() != nil {
			return nil, m.file.Located(r.Err())
		}
		list = append(list, one)
	}
	return list, nil
}

func initializerOf(t *onnxwire.Tensor) Initializer {
	return Initializer{Name: t.Name, Type: onnxfile.ElementTypeOf(t.Type),
		TypeName: onnxfile.DataTypeName(t.Type), Shape: onnxfile.ShapeOf(t),
		External: t.External, Sparse: t.Sparse}
}

// Weight reads one initializer of the graph, including external data. If two have the same name, it
// reads the last one, which is the one that ONNX Runtime uses. It is an error if the initializer is
// sparse or has an element type that [tensor] lacks.
func (m *Model) Weight(name string) (*tensor.Tensor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(m.file.Structure.Graph.Initializers) {
		if t.Name == name {
			r, done := m.file.Open()
			defer done()
			weight, err := m.file.Weight(r, &t)
			if err != nil {
				return nil, m.file.Located(fmt.Errorf("initializer %q: %w", name, err))
			}
			return weight, nil
		}
	}
	return nil, m.file.Located(fmt.Errorf("no initializer %q", name))
}
