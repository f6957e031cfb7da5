package loaders

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// ConstantNode reads what a Constant node of the graph gives; index is its [Node.Index]. Exporters
// keep weights in such nodes as well as in initializers. A node of another operator is an error,
// and so are sparse values and strings.
func (m *Model) ConstantNode(index int) (*tensor.Tensor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(err)
	}
	defer done()
	value, err := m.constantNode(source, index)
	if err != nil {
		return nil, m.located(fmt.Errorf("node %d: %w", index, err))
	}
	return value, nil
}

func (m *Model) constantNode(source onnxwire.Source, index int) (*tensor.Tensor, error) {
	nodes := &m.structure.Graph.Nodes
	if index < 0 || index >= nodes.Len() {
		return nil, fmt.Errorf("the graph has %d nodes", nodes.Len())
	}
	n, err := onnxwire.NewReader(source).Node(nodes.At(index))
	if err != nil {
		return nil, err
	}
	if operator := operatorName(n.Domain, n.Op); operator != "Constant" {
		return nil, fmt.Errorf("want operator Constant, got %s", operator)
	}
	var value *tensor.Tensor
	err = onnxwire.Walk(source, n.Span, func(f onnxwire.Field) error {
		if onnxwire.NodeMessage.Member(f.Number) != onnxwire.AttributeMessage {
			return nil
		}
		v, err := m.constantValue(source, f.Body)
		if v != nil {
			value = v
		}
		return err
	})
	if err == nil && value == nil {
		err = errors.New("its value is not a dense tensor of numbers")
	}
	return value, err
}

// constantValue reads value, value_float, value_floats, value_int or value_ints; nil for another
// attribute.
func (m *Model) constantValue(source onnxwire.Source, span onnxwire.Span) (value *tensor.Tensor,
	err error) {
	var floats, integers []byte
	single := false
	err = onnxwire.Walk(source, span, func(f onnxwire.Field) error {
		switch f.Number {
		case attributeFloat, attributeFloats:
			data, err := readSpan(source, f.Body)
			floats, single = append(floats, data...), f.Number == attributeFloat
			return err
		case attributeInt, attributeInts:
			data, err := readSpan(source, f.Body)
			for len(data) > 0 && err == nil {
				v, n := protowire.ConsumeVarint(data)
				if err = protowire.ParseError(n); n > 0 {
					integers, data = binary.LittleEndian.AppendUint64(integers, v), data[n:]
				}
			}
			single = f.Number == attributeInt
			return err
		}
		if onnxwire.AttributeMessage.Member(f.Number) == onnxwire.TensorMessage {
			value, err = m.tensorAt(source, f.Body)
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

// tensorAt reads a TensorProto that is not an initializer.
func (m *Model) tensorAt(source onnxwire.Source, span onnxwire.Span) (*tensor.Tensor, error) {
	message, err := readSpan(source, span)
	if err != nil {
		return nil, err
	}
	t, err := tensorIn(message)
	if err != nil {
		return nil, err
	}
	t.Span = span
	return m.weight(source, t)
}

// tensorIn scans a TensorProto.
func tensorIn(message []byte) (*onnxwire.Tensor, error) {
	graph := onnxwire.AppendMessage(nil, onnxwire.GraphInitializer, message)
	structure, err := scan(bytes.NewReader(onnxwire.AppendMessage(nil, onnxwire.ModelGraph, graph)))
	if err != nil {
		return nil, err
	}
	return &structure.Graph.Initializers[0], nil
}

func readSpan(source onnxwire.Source, span onnxwire.Span) ([]byte, error) {
	data := make([]byte, span.Len())
	if n, err := source.ReadAt(data, span.Start); n < len(data) {
		return nil, err
	}
	return data, nil
}
