package onnxpb

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/tensor"
)

// Kind says which message holds a value.
type Kind uint8

// The kinds of value.
const (
	TensorKind   Kind = iota
	SequenceKind      // SequenceProto
	OptionalKind      // OptionalProto
	MapKind           // MapProto
)

// Value is an input or output of a model: a tensor, or a sequence, optional or map.
type Value struct {
	Kind Kind
	Name string // may be empty
	// Tensor is set if the value is a tensor.
	Tensor *tensor.Tensor
	// Items depends on the kind of value. For a sequence, it holds the values in order. For an
	// optional, it holds the value, if there is one. For a map, it holds two values: the keys as a
	// 1-d tensor, and the values as a 1-d tensor or a sequence.
	Items []Value

	packed *budget.Packed
}

// maxDepth is the maximum depth to which sequences and optionals may be nested.
const maxDepth = 32

// Decode decodes a message of the given kind. Its tensors share data's memory if possible.
func Decode(data []byte, kind Kind) (Value, error) {
	return decode(data, 0, kind, maxDepth, budget.NewPacked(int64(len(data))))
}

func decode(data []byte, base int64, kind Kind, depth int, packed *budget.Packed) (Value, error) {
	if depth == 0 {
		return Value{}, fmt.Errorf("byte %d: values are nested more than %d deep", base, maxDepth)
	}
	if kind == TensorKind {
		name, t, err := tensorAt(data, base, packed)
		return Value{Name: name, Tensor: t}, err
	}
	v := Value{Kind: kind, packed: packed}
	var err error
	switch kind {
	case SequenceKind, OptionalKind:
		err = v.items(data, base, depth)
	case MapKind:
		err = v.mapping(data, base, depth)
	default:
		err = fmt.Errorf("kind %d is not a message", kind)
	}
	return v, err
}

// items decodes a SequenceProto or an OptionalProto. The element type in a SequenceProto says which
// field holds the values; an OptionalProto has at most one value.
func (v *Value) items(data []byte, base int64, depth int) error {
	kinds := map[protowire.Number]Kind{
		3: TensorKind, 5: SequenceKind, 6: MapKind, 7: OptionalKind,
	}
	var used protowire.Number
	return fields(data, base, func(f field) error {
		switch f.num {
		case 1:
			v.Name = string(f.bytes)
			return f.is(protowire.BytesType)
		case 4:
			return fmt.Errorf("byte %d: sparse tensors are not supported", f.offset)
		}
		kind, known := kinds[f.num]
		switch {
		case !known:
			return nil
		case v.Kind == OptionalKind && used != 0:
			return fmt.Errorf("byte %d: an optional has two values", f.offset)
		case used != 0 && used != f.num:
			return fmt.Errorf("byte %d: a sequence has values in fields %d and %d", f.offset, used, f.num)
		}
		used = f.num
		return v.item(f, kind, depth)
	})
}

// item decodes the value in a field and appends the value to Items.
func (v *Value) item(f field, kind Kind, depth int) error {
	if err := f.is(protowire.BytesType); err != nil {
		return err
	}
	item, err := decode(f.bytes, f.offset, kind, depth-1, v.packed)
	if err == nil {
		err = v.packed.Take("its items", perItem)
	}
	if err != nil {
		return fmt.Errorf("item %d: %w", len(v.Items), err)
	}
	v.Items = append(v.Items, item)
	return nil
}

// mapping decodes a MapProto: keys in field 3, or field 4 if they are strings, and a SequenceProto
// of values.
func (v *Value) mapping(data []byte, base int64, depth int) error {
	keys := message{base: base, packed: v.packed}
	var texts []string
	var values []Value
	keyType := int32(0)
	err := fields(data, base, func(f field) (err error) {
		switch f.num {
		case 1:
			v.Name, err = string(f.bytes), f.is(protowire.BytesType)
		case 2:
			keyType, err = int32(f.number), f.is(protowire.VarintType)
		case 3:
			keys.parts = append(keys.parts, f)
			err = v.packed.Take("its keys", perPart)
		case 4:
			texts, err = append(texts, string(f.bytes)), f.is(protowire.BytesType)
			if err == nil {
				err = v.packed.Take("its keys", perText)
			}
		case 5:
			if err = f.is(protowire.BytesType); err == nil {
				var sequence Value
				sequence, err = decode(f.bytes, f.offset, SequenceKind, depth-1,
					v.packed)
				values = append(values, sequence)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(values) != 1 {
		return fmt.Errorf("byte %d: a map has %d sequences of values, expected 1", base, len(values))
	}
	all, err := keysOf(keyType, &keys, texts)
	if err != nil {
		return fmt.Errorf("byte %d: %w", base, err)
	}
	if all.Len() != len(values[0].Items) {
		return fmt.Errorf("byte %d: a map has %d keys and %d values",
			base, all.Len(), len(values[0].Items))
	}
	v.Items = []Value{{Tensor: all}, values[0]}
	return nil
}

// keysOf returns the keys of a map as a 1-d tensor of the type that the map declares.
func keysOf(keyType int32, numbers *message, texts []string) (*tensor.Tensor, error) {
	d, known := byNumber(keyType)
	if known && d.elem == tensor.String && len(numbers.parts) == 0 {
		return tensor.FromStrings(tensor.Shape{len(texts)}, texts)
	}
	if !known || !d.elem.IsInteger() || len(texts) > 0 {
		return nil, fmt.Errorf("a map declares keys of data type %d, but stores another type", keyType)
	}
	n, err := numbers.count()
	if err != nil {
		return nil, err
	}
	raw, err := numbers.bytes(d.elem, n)
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(d.elem, tensor.Shape{n}, raw)
}

// Entries returns the value as named tensors, as in a run: x for a tensor; x.length, x[0], x[1], …
// for a sequence; x.key and x.value for a map. For an optional, it returns the entries of the
// contained value, or none if there is no value. The values of a map must be tensors of one
// element, all of the same type.
func (v Value) Entries(name string) ([]tensor.Entry, error) {
	switch v.Kind {
	case SequenceKind:
		entries := []tensor.Entry{{Name: name + ".length", Tensor: tensor.Scalar(int64(len(v.Items)))}}
		for i, item := range v.Items {
			more, err := item.Entries(fmt.Sprintf("%s[%d]", name, i))
			if err != nil {
				return nil, err
			}
			entries = append(entries, more...)
		}
		return entries, nil
	case OptionalKind:
		if len(v.Items) == 0 {
			return nil, nil
		}
		return v.Items[0].Entries(name)
	case MapKind:
		values, err := joined(v.Items[1].Items)
		if err != nil {
			return nil, fmt.Errorf("onnx map %q: %w", name, err)
		}
		return []tensor.Entry{{Name: name + ".key", Tensor: v.Items[0].Tensor.AsKeys()},
			{Name: name + ".value", Tensor: values}}, nil
	}
	return []tensor.Entry{{Name: name, Tensor: v.Tensor}}, nil
}

// joined combines items, which must be tensors of one element, into a 1-d tensor.
func joined(items []Value) (*tensor.Tensor, error) {
	if len(items) == 0 {
		return nil, fmt.Errorf("the map is empty, so the type of its values is unknown")
	}
	var data []byte
	var texts []string
	elem := items[0].Tensor.ElementType()
	for i, item := range items {
		t := item.Tensor
		if t.Len() != 1 || t.ElementType() != elem || elem.Bits() > 0 && elem.Bits() < 8 {
			return nil, fmt.Errorf("value %d is not a single %v", i, elem)
		}
		data = append(data, t.Bytes()...)
		texts = append(texts, t.Strings()...)
	}
	if elem == tensor.String {
		return tensor.FromStrings(tensor.Shape{len(items)}, texts)
	}
	return tensor.FromBytes(elem, tensor.Shape{len(items)}, data)
}
