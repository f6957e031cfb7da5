package onnxfile

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Weight reads an initializer, including external data.
func (m *File) Weight(r *onnxwire.Reader, t *onnxwire.Tensor) (*tensor.Tensor, error) {
	if t.Sparse {
		return nil, fmt.Errorf("it is sparse")
	}
	if t.External {
		return m.externalWeight(t)
	}
	message := r.Bytes(t.Span)
	if r.Err() != nil {
		return nil, r.Err()
	}
	_, weight, err := onnxpb.Tensor(message)
	return weight, err
}

// ShapeOf returns the shape of a tensor.
func ShapeOf(t *onnxwire.Tensor) tensor.Shape {
	shape := make(tensor.Shape, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	return shape
}

func (m *File) externalWeight(t *onnxwire.Tensor) (*tensor.Tensor, error) {
	e := m.External(t.Span)
	if e == nil {
		return nil, fmt.Errorf("its data is external, but the location is missing")
	}
	shape := ShapeOf(t)
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	elem := ElementTypeOf(t.Type)
	data, err := m.readData(e.Location, e.Offset, int64(elem.Bytes(n)))
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(elem, shape, data)
}

// NodeValue returns the value of a Constant or ConstantOfShape node, or nil if the value is sparse,
// missing or a string. If the value cannot be read, NodeValue returns an error, and the caller can
// still use r.
func (m *File) NodeValue(r *onnxwire.Reader, node onnxwire.Span) (value *tensor.Tensor, err error) {
	r = r.Fork()
	for f := range r.Fields(node) {
		if onnxwire.NodeMessage.Member(f.Number) == onnxwire.AttributeMessage {
			if v := m.attributeValue(r, f.Body); v != nil {
				value = v
			}
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return value, nil
}

// attributeValue reads the attribute at span and returns the attribute's value as a tensor. If the
// value is not a tensor, a float, an integer, or a list of floats or integers, attributeValue
// returns nil.
func (m *File) attributeValue(r *onnxwire.Reader, span onnxwire.Span) (value *tensor.Tensor) {
	var floats, integers []byte
	single := false
	for f := range r.Fields(span) {
		switch f.Number {
		case onnxwire.AttributeFloat, onnxwire.AttributeFloats:
			floats, single = append(floats, r.Bytes(f.Body)...), f.Number == onnxwire.AttributeFloat
		case onnxwire.AttributeInt, onnxwire.AttributeInts:
			for data := r.Bytes(f.Body); len(data) > 0 && r.Err() == nil; {
				v, n := protowire.ConsumeVarint(data)
				if r.Fail(protowire.ParseError(n)); n > 0 {
					integers, data = binary.LittleEndian.AppendUint64(integers, v), data[n:]
				}
			}
			single = f.Number == onnxwire.AttributeInt
		default:
			if onnxwire.AttributeMessage.Member(f.Number) == onnxwire.TensorMessage {
				t := r.Tensor(f.Body)
				var err error
				value, err = m.Weight(r, &t)
				r.Fail(err)
			}
		}
	}
	made := func(elem tensor.ElementType, data []byte) *tensor.Tensor {
		shape := tensor.Shape{}
		if !single {
			shape = tensor.Shape{len(data) * 8 / elem.Bits()}
		}
		t, err := tensor.FromBytes(elem, shape, data)
		r.Fail(err)
		return t
	}
	switch {
	case floats != nil:
		return made(tensor.Float32, floats)
	case integers != nil:
		return made(tensor.Int64, integers)
	}
	return value
}
