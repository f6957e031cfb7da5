package onnxfile

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// These are the fields of AttributeProto that hold numbers.
const (
	AttributeFloat  protowire.Number = 2
	AttributeInt    protowire.Number = 3
	AttributeFloats protowire.Number = 7
	AttributeInts   protowire.Number = 8
)

// Weight reads an initializer, including external data.
func (m *File) Weight(source onnxwire.Source, t *onnxwire.Tensor) (*tensor.Tensor, error) {
	switch {
	case t.Sparse:
		return nil, fmt.Errorf("it is sparse")
	case t.External:
		return m.ExternalWeight(t)
	}
	message := make([]byte, t.Span.Len())
	if n, err := source.ReadAt(message, t.Span.Start); n < len(message) {
		return nil, err
	}
	_, weight, err := onnxpb.Tensor(message)
	return weight, err
}

// ExternalWeight reads a weight from its file.
func (m *File) ExternalWeight(t *onnxwire.Tensor) (*tensor.Tensor, error) {
	for _, e := range m.Structure.External {
		if e.Span != t.Span {
			continue // the data belongs to another tensor
		}
		shape := tensor.Shape{}
		for _, d := range t.Dims {
			shape = append(shape, int(d))
		}
		n, err := shape.Elements()
		if err != nil {
			return nil, err
		}
		elem := ElementTypeOf(t.Type)
		r := dataRange{tensor: t.Name, model: m, location: e.Location, offset: e.Offset,
			length: int64(elem.Bytes(n))}
		data, err := r.read()
		if err != nil {
			return nil, err
		}
		return tensor.FromBytes(elem, shape, data)
	}
	return nil, fmt.Errorf("the location of its data is missing")
}

// NodeValue returns the value of a Constant or ConstantOfShape node, or nil if it is sparse,
// missing or a string.
func (m *File) NodeValue(source onnxwire.Source, node onnxwire.Span) (value *tensor.Tensor,
	err error) {
	err = onnxwire.Walk(source, node, func(f onnxwire.Field) error {
		if onnxwire.NodeMessage.Member(f.Number) != onnxwire.AttributeMessage {
			return nil
		}
		v, err := m.attributeValue(source, f.Body)
		if v != nil {
			value = v
		}
		return err
	})
	return value, err
}

// attributeValue reads the attribute at span if it is value, value_float, value_floats, value_int
// or value_ints. It returns nil for other attributes.
func (m *File) attributeValue(source onnxwire.Source, span onnxwire.Span) (value *tensor.Tensor,
	err error) {
	var floats, integers []byte
	single := false
	err = onnxwire.Walk(source, span, func(f onnxwire.Field) error {
		switch f.Number {
		case AttributeFloat, AttributeFloats:
			data, err := ReadSpan(source, f.Body)
			floats, single = append(floats, data...), f.Number == AttributeFloat
			return err
		case AttributeInt, AttributeInts:
			data, err := ReadSpan(source, f.Body)
			for len(data) > 0 && err == nil {
				v, n := protowire.ConsumeVarint(data)
				if err = protowire.ParseError(n); n > 0 {
					integers, data = binary.LittleEndian.AppendUint64(integers, v), data[n:]
				}
			}
			single = f.Number == AttributeInt
			return err
		}
		if onnxwire.AttributeMessage.Member(f.Number) == onnxwire.TensorMessage {
			value, err = m.TensorAt(source, f.Body)
			return err
		}
		return nil
	})
	shape := func(n int) tensor.Shape {
		if single {
			return tensor.Shape{}
		}
		return tensor.Shape{n}
	}
	switch {
	case err != nil:
		return nil, err
	case floats != nil:
		return tensor.FromBytes(tensor.Float32, shape(len(floats)/4), floats)
	case integers != nil:
		return tensor.FromBytes(tensor.Int64, shape(len(integers)/8), integers)
	}
	return value, nil
}

// TensorAt reads a TensorProto that is not an initializer.
func (m *File) TensorAt(source onnxwire.Source, span onnxwire.Span) (*tensor.Tensor, error) {
	message, err := ReadSpan(source, span)
	if err != nil {
		return nil, err
	}
	t, err := TensorIn(message)
	if err != nil {
		return nil, err
	}
	t.Span = span
	return m.Weight(source, t)
}

// TensorIn returns the structure of a TensorProto.
func TensorIn(message []byte) (*onnxwire.Tensor, error) {
	graph := onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, message)
	structure, err := scan(bytes.NewReader(onnxwire.AppendMessage(nil, onnxwire.ModelGraph, graph)))
	if err != nil {
		return nil, err
	}
	return &structure.Graph.Initializers[0], nil
}

func ReadSpan(source onnxwire.Source, span onnxwire.Span) ([]byte, error) {
	data := make([]byte, span.Len())
	if n, err := source.ReadAt(data, span.Start); n < len(data) {
		return nil, err
	}
	return data, nil
}
