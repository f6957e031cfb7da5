package loaders

import (
	"fmt"
	"unsafe"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Initializer is a weight of the graph, as far as it is known without decoding it.
type Initializer struct {
	Name     string             `json:"name"`
	Type     tensor.ElementType `json:"-"`
	TypeName string             `json:"type"`
	Shape    tensor.Shape       `json:"shape"`
	External bool               `json:"external,omitempty"` // the data is in another file
	Sparse   bool               `json:"sparse,omitempty"`
}

// Initializers is the graph's weights, in graph order. Their data is not read.
func (m *Model) Initializers() ([]Initializer, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	var list []Initializer
	err := m.list(func(take func(int) error) error {
		for i := range m.structure.Graph.Initializers {
			one := initializerOf(&m.structure.Graph.Initializers[i])
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
	one := Initializer{Name: t.Name, Type: elementTypeOf(t.Type), TypeName: dataTypeName(t.Type),
		Shape: make(tensor.Shape, len(t.Dims)), External: t.External, Sparse: t.Sparse}
	for i, d := range t.Dims {
		one.Shape[i] = int(d)
	}
	return one
}

// Weight reads one initializer of the graph, whether its data is in the model or in another file.
// A sparse one is an error, and so is one of an element type that [tensor] does not have.
func (m *Model) Weight(name string) (*tensor.Tensor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	for i := range m.structure.Graph.Initializers {
		if t := &m.structure.Graph.Initializers[i]; t.Name == name {
			source, done, err := m.content.open()
			if err != nil {
				return nil, m.located(err)
			}
			defer done()
			weight, err := m.weight(source, t)
			if err != nil {
				return nil, m.located(fmt.Errorf("initializer %q: %w", name, err))
			}
			return weight, nil
		}
	}
	return nil, m.located(fmt.Errorf("no initializer %q", name))
}

func (m *Model) weight(source onnxwire.Source, t *onnxwire.Tensor) (*tensor.Tensor, error) {
	switch {
	case t.Sparse:
		return nil, fmt.Errorf("it is sparse")
	case t.External:
		return m.externalWeight(t)
	}
	message := make([]byte, t.Span.Len())
	if n, err := source.ReadAt(message, t.Span.Start); n < len(message) {
		return nil, err
	}
	_, weight, err := onnxpb.Tensor(message)
	return weight, err
}

// externalWeight reads a weight from its file.
func (m *Model) externalWeight(t *onnxwire.Tensor) (*tensor.Tensor, error) {
	for _, e := range m.structure.External {
		if e.Span != t.Span {
			continue // another tensor's
		}
		shape := tensor.Shape{}
		for _, d := range t.Dims {
			shape = append(shape, int(d))
		}
		n, err := shape.Elements()
		if err != nil {
			return nil, err
		}
		elem := elementTypeOf(t.Type)
		r := dataRange{tensor: t.Name, model: m, location: e.Location, offset: e.Offset,
			length: int64(elem.Bytes(n))}
		data, err := r.read()
		if err != nil {
			return nil, err
		}
		return tensor.FromBytes(elem, shape, data)
	}
	return nil, fmt.Errorf("it does not say where its data is")
}
