// Package protofield reads protobuf messages that are in memory, field by field. It is for messages
// that are too few, or too large, for generated code.
package protofield

import (
	"fmt"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is one field of a message. Its value is a number or bytes, depending on the wire type.
type Field struct {
	Number protowire.Number
	Type   protowire.Type
	Value  uint64 // set for varint and fixed types
	Bytes  []byte // shares the message's memory
	At     int    // offset of the value in the message
	End    int    // offset of the next field
}

// All iterates over the fields of a message. All ends after the first error; the Field that it
// yields with the error says where the error is.
func All(message []byte) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		for f := (Field{}); f.End < len(message); {
			number, kind, n := protowire.ConsumeTag(message[f.End:])
			f = Field{Number: number, Type: kind, At: f.End + max(n, 0)}
			if n < 0 {
				yield(f, fmt.Errorf("not a protobuf message: %w", protowire.ParseError(n)))
				return
			}
			value := message[f.At:]
			switch kind {
			case protowire.BytesType:
				f.Bytes, n = protowire.ConsumeBytes(value)
			case protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type:
				f.Value, n = Number(kind, value)
			default: // a group, which is skipped
				n = protowire.ConsumeFieldValue(number, kind, value)
			}
			if n < 0 {
				yield(f, fmt.Errorf("field %d: %w", number, protowire.ParseError(n)))
				return
			}
			f.End = f.At + n
			if kind == protowire.BytesType {
				f.At = f.End - len(f.Bytes) // after the length
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Number reads a number of a varint or fixed type from the beginning of b. n is its length, or
// negative if b is too short or invalid; see [protowire.ParseError].
func Number(kind protowire.Type, b []byte) (v uint64, n int) {
	switch kind {
	case protowire.Fixed32Type:
		short, n := protowire.ConsumeFixed32(b)
		return uint64(short), n
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(b)
	}
	return protowire.ConsumeVarint(b)
}

// Numbers iterates over the numbers in a repeated field, whether it is packed or not. kind is the
// wire type of one number. It is an error if the field has a different wire type.
func (f Field) Numbers(kind protowire.Type) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		if f.Type == kind {
			yield(f.Value, nil)
			return
		}
		if err := f.Is(protowire.BytesType); err != nil {
			yield(0, err)
			return
		}
		for data := f.Bytes; len(data) > 0; {
			v, n := Number(kind, data)
			if n < 0 {
				yield(0, fmt.Errorf("field %d: %w", f.Number, protowire.ParseError(n)))
				return
			}
			if !yield(v, nil) {
				return
			}
			data = data[n:]
		}
	}
}

// Is returns an error unless the field has the given wire type.
func (f Field) Is(kind protowire.Type) error {
	if f.Type != kind {
		return fmt.Errorf("field %d has wire type %d, expected %d", f.Number, f.Type, kind)
	}
	return nil
}
