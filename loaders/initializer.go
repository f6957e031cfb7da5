package loaders

import (
	"fmt"
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
	var list []Initializer
	err := m.file.List(func(take func(int) error) error {
		for i := range m.file.Structure.Graph.Initializers {
			one := initializerOf(&m.file.Structure.Graph.Initializers[i])
			if err := take(2*int(unsafe.Sizeof(one)) + 8*len(one.Shape)); err != nil {
				return err
			}
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

func initializerOf(t *onnxwire.Tensor) Initializer {
	one := Initializer{Name: t.Name, Type: onnxfile.ElementTypeOf(t.Type),
		TypeName: onnxfile.DataTypeName(t.Type), Shape: make(tensor.Shape, len(t.Dims)),
		External: t.External, Sparse: t.Sparse}
	for i, d := range t.Dims {
		one.Shape[i] = int(d)
	}
	return one
}

// Weight reads one initializer of the graph, including external data. It is an error if the
// initializer is sparse or has an element type that [tensor] lacks.
func (m *Model) Weight(name string) (*tensor.Tensor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	for i := range m.file.Structure.Graph.Initializers {
		if t := &m.file.Structure.Graph.Initializers[i]; t.Name == name {
			source, done, err := m.file.Open()
			if err != nil {
				return nil, m.file.Located(err)
			}
			defer done()
			weight, err := m.file.Weight(source, t)
			if err != nil {
				return nil, m.file.Located(fmt.Errorf("initializer %q: %w", name, err))
			}
			return weight, nil
		}
	}
	return nil, m.file.Located(fmt.Errorf("no initializer %q", name))
}
