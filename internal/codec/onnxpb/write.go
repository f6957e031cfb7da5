package onnxpb

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// The numbers of the fields of SequenceProto and OptionalProto that contain values, and the enum
// values that say which of these fields is used.
const (
	tensorItem, tensorItems     = 1, 3
	sequenceItem, sequenceItems = 3, 5
	mapItem, mapItems           = 4, 6
)

// AppendValue appends a tensor, a sequence or a map to b, as a TensorProto, SequenceProto or
// MapProto. If the model declares the value as optional, set optional: the message is then wrapped
// in an OptionalProto. See also [AppendNothing].
func AppendValue(b []byte, v tensor.Value, optional bool) ([]byte, error) {
	if !optional {
		return appendValue(b, v.Name, v)
	}
	inner, err := appendValue(nil, v.Name, v)
	if err != nil {
		return nil, err
	}
	number, field := holding(v)
	return onnxwire.AppendMessage(head(b, v.Name, number), field, inner), nil
}

// AppendNothing appends an OptionalProto without a value.
func AppendNothing(b []byte, name string) []byte { return head(b, name, 0) }

// holding says where a sequence or an optional stores v: it returns the field's number, and the
// enum value that stands for that field.
func holding(v tensor.Value) (number uint64, field protowire.Number) {
	switch {
	case v.Tensor != nil:
		return tensorItem, tensorItems
	case v.Keys != nil:
		return mapItem, mapItems
	}
	return sequenceItem, sequenceItems
}

func appendValue(b []byte, name string, v tensor.Value) ([]byte, error) {
	switch {
	case v.Tensor != nil:
		return Append(b, name, v.Tensor)
	case v.Keys != nil:
		return appendMap(b, name, v)
	}
	number := uint64(tensorItem) // used for an empty sequence, whose item type is unknown
	if len(v.Items) > 0 {
		number, _ = holding(v.Items[0])
	}
	b = head(b, name, number)
	for _, item := range v.Items {
		inner, err := appendValue(nil, "", item)
		if err != nil {
			return nil, err
		}
		_, field := holding(item)
		b = onnxwire.AppendMessage(b, field, inner)
	}
	return b, nil
}

// appendMap appends a MapProto. Its values are tensors of one element.
func appendMap(b []byte, name string, v tensor.Value) ([]byte, error) {
	number, elem := NumberOf(v.Keys.ElementType()), v.Mapped.ElementType()
	if number < 0 || elem.Bits() > 0 && elem.Bits() < 8 {
		return nil, fmt.Errorf("onnx map %q: cannot map %v to %v", name, v.Keys.ElementType(), elem)
	}
	b = head(b, name, uint64(number))
	if v.Keys.ElementType() == tensor.String {
		for _, key := range v.Keys.Strings() {
			b = onnxwire.AppendText(b, 4, key)
		}
	} else {
		keys, err := tensor.Values[int64](v.Keys)
		if err != nil {
			return nil, fmt.Errorf("onnx map %q: %w", name, err)
		}
		for _, key := range keys {
			b = onnxwire.AppendVarint(b, 3, uint64(key))
		}
	}
	values := onnxwire.AppendVarint(nil, 2, tensorItem)
	for i := range v.Mapped.Len() {
		one, err := element(v.Mapped, i)
		if err != nil {
			return nil, err
		}
		inner, err := Append(nil, "", one)
		if err != nil {
			return nil, err
		}
		values = onnxwire.AppendMessage(values, tensorItems, inner)
	}
	return onnxwire.AppendMessage(b, 5, values), nil
}

// element returns one element of a tensor as a 0-d tensor.
func element(t *tensor.Tensor, i int) (*tensor.Tensor, error) {
	if t.ElementType() == tensor.String {
		return tensor.FromStrings(tensor.Shape{}, t.Strings()[i:i+1])
	}
	size := t.ElementType().Bits() / 8
	return tensor.FromBytes(t.ElementType(), tensor.Shape{}, t.Bytes()[i*size:(i+1)*size])
}

// head appends the beginning of a SequenceProto or OptionalProto: the value's name, and the enum
// value for the type of its content.
func head(b []byte, name string, number uint64) []byte {
	if name != "" {
		b = onnxwire.AppendText(b, 1, name)
	}
	return onnxwire.AppendVarint(b, 2, number)
}
