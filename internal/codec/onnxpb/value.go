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
)

// maxDepth is the maximum depth to which sequences and optionals may be nested.
const maxDepth = 32

// Decode decodes a message of the given kind. It returns the value as named tensors, as in a run: x
// for a tensor; x.length, x[0], x[1], … for a sequence; for an optional, the tensors of the
// contained value, or none if there is no value. The tensors share data's memory if possible. It is
// an error if the message contains a map or a sparse tensor.
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
	if kind == TensorKind {
		_, t, err := tensorAt(data, base, d.packed)
		return []tensor.Entry{{Name: name, Tensor: t}}, err
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
		3: TensorKind, 5: SequenceKind, 7: OptionalKind,
	}
	var used protowire.Number
	return fields(data, base, func(f field) error {
		kind, known := kinds[f.Number]
		switch {
		case f.Number == 4 || f.Number == 6:
			return fmt.Errorf("byte %d: sparse tensors and maps are not supported", f.offset)
		case !known:
			return nil
		case used != 0 && used != f.Number:
			return fmt.Errorf("byte %d: values are in field %d and field %d, but must be in one", f.offset,
				used, f.Number)
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
