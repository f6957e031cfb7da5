package onnxpb

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/tensor"
)

// Kind is the kind of ONNX message that stores a value.
type Kind uint8

// The kinds of value.
const (
	TensorKind   Kind = iota
	SequenceKind      // SequenceProto
	OptionalKind      // OptionalProto
	MapKind           // MapProto
)

// maxDepth is the maximum depth to which sequences and optionals may be nested.
const maxDepth = 32

// Decode decodes a message of the given kind. It returns the value as named tensors, as in a run: x
// for a tensor; x.length, x[0], x[1], … for a sequence; x.key and x.value for a map; for an
// optional, the tensors of the contained value, or none if there is no value. The values of a map
// must be tensors of one element, all of the same type. The tensors share data's memory if
// possible.
func Decode(data []byte, kind Kind, name string) ([]tensor.Entry, error) {
	d := decoder{budget.NewPacked(int64(len(data)))}
	return d.value(data, 0, kind, name, maxDepth)
}

type decoder struct{ packed *budget.Packed }

func (d decoder) value(data []byte, base int64, kind Kind, name string, depth int) (
	entries []tensor.Entry, err error) {
	if depth == 0 {
		return nil, fmt.Errorf("byte %d: values are nested more than %d deep", base, maxDepth)
	}
	switch kind {
	case TensorKind:
		_, t, err := tensorAt(data, base, d.packed)
		return []tensor.Entry{{Name: name, Tensor: t}}, err
	case MapKind:
		return d.mapping(data, base, name)
	}
	n := 0
	err = d.items(data, base, func(f field, inner Kind) error {
		if kind == OptionalKind && n > 0 {
			return fmt.Errorf("byte %d: an optional has two values", f.offset)
		}
		item := name
		if kind == SequenceKind {
			item = fmt.Sprintf("%s[%d]", name, n)
		}
		more, err := d.value(f.Bytes, f.offset, inner, item, depth-1)
		if err != nil {
			return fmt.Errorf("item %d: %w", n, err)
		}
		n++
		entries = append(entries, more...)
		return nil
	})
	if err == nil && kind == SequenceKind {
		length := tensor.Entry{Name: name + ".length", Tensor: tensor.Scalar(int64(n))}
		entries = append([]tensor.Entry{length}, entries...)
	}
	return entries, err
}

// items calls visit for each value in a SequenceProto or an OptionalProto. Only one of the fields
// may contain values, because their order across fields is unknown.
func (d decoder) items(data []byte, base int64, visit func(f field, kind Kind) error) error {
	kinds := map[protowire.Number]Kind{
		3: TensorKind, 5: SequenceKind, 6: MapKind, 7: OptionalKind,
	}
	var used protowire.Number
	return fields(data, base, func(f field) error {
		kind, known := kinds[f.Number]
		switch {
		case f.Number == 4:
			return fmt.Errorf("byte %d: sparse tensors are not supported", f.offset)
		case !known:
			return nil
		case used != 0 && used != f.Number:
			return fmt.Errorf("byte %d: a sequence has values in fields %d and %d", f.offset, used, f.Number)
		}
		used = f.Number
		if err := f.is(protowire.BytesType); err != nil {
			return err
		}
		if err := d.packed.Take("its items", perItem); err != nil {
			return err
		}
		return visit(f, kind)
	})
}

// mapping decodes a MapProto: keys in field 3, or field 4 if they are strings, and a SequenceProto
// of values.
func (d decoder) mapping(data []byte, base int64, name string) ([]tensor.Entry, error) {
	numbers := message{base: base, packed: d.packed}
	var texts []string
	var values []*tensor.Tensor
	keyType, sequences := int32(0), 0
	err := fields(data, base, func(f field) (err error) {
		switch f.Number {
		case 2:
			keyType, err = int32(f.Value), f.is(protowire.VarintType)
		case 3:
			numbers.parts = append(numbers.parts, f)
			err = d.packed.Take("its keys", perPart)
		case 4:
			texts, err = append(texts, string(f.Bytes)), f.is(protowire.BytesType)
			if err == nil {
				err = d.packed.Take("its keys", perText)
			}
		case 5:
			sequences++
			if err = f.is(protowire.BytesType); err != nil {
				return err
			}
			return d.items(f.Bytes, f.offset, func(item field, kind Kind) error {
				if kind != TensorKind {
					return fmt.Errorf("byte %d: the values of a map must be tensors", item.offset)
				}
				_, t, err := tensorAt(item.Bytes, item.offset, d.packed)
				values = append(values, t)
				return err
			})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if sequences != 1 {
		return nil, fmt.Errorf("byte %d: a map has %d sequences of values, expected 1", base, sequences)
	}
	keys, err := keysOf(keyType, &numbers, texts)
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", base, err)
	}
	if keys.Len() != len(values) {
		return nil, fmt.Errorf("byte %d: a map has %d keys and %d values", base, keys.Len(), len(values))
	}
	mapped, err := joined(values)
	if err != nil {
		return nil, fmt.Errorf("onnx map %q: %w", name, err)
	}
	return []tensor.Entry{{Name: name + ".key", Tensor: keys.AsKeys()},
		{Name: name + ".value", Tensor: mapped}}, nil
}

// keysOf returns the keys of a map as a 1-d tensor of the type that the map declares.
func keysOf(keyType int32, numbers *message, texts []string) (*tensor.Tensor, error) {
	elem := ElementTypeOf(keyType)
	if elem == tensor.String && len(numbers.parts) == 0 {
		return tensor.FromStrings(tensor.Shape{len(texts)}, texts)
	}
	if !elem.IsInteger() || len(texts) > 0 {
		return nil, fmt.Errorf("a map declares keys of data type %d, but stores another type", keyType)
	}
	n, err := numbers.count()
	if err != nil {
		return nil, err
	}
	raw, err := numbers.bytes(elem, n)
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(elem, tensor.Shape{n}, raw)
}

// joined combines tensors of one element into a 1-d tensor.
func joined(values []*tensor.Tensor) (*tensor.Tensor, error) {
	if len(values) == 0 {
		return nil, fmt.Errorf("the map is empty, so the type of its values is unknown")
	}
	var data []byte
	var texts []string
	elem := values[0].ElementType()
	for i, t := range values {
		if t.Len() != 1 || t.ElementType() != elem || elem.Bits() > 0 && elem.Bits() < 8 {
			return nil, fmt.Errorf("value %d of the map is not a single %v", i, elem)
		}
		data = append(data, t.Bytes()...)
		texts = append(texts, t.Strings()...)
	}
	if elem == tensor.String {
		return tensor.FromStrings(tensor.Shape{len(values)}, texts)
	}
	return tensor.FromBytes(elem, tensor.Shape{len(values)}, data)
}
