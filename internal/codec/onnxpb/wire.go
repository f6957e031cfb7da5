package onnxpb

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message. Depending on the wire type, its value is a number or bytes.
type field struct {
	num    protowire.Number
	typ    protowire.Type
	number uint64 // set for varint and fixed types
	bytes  []byte
	offset int64 // offset of the value in the file
}

// fields calls visit for every field of a message. base is the message's offset in its file, for
// errors.
func fields(message []byte, base int64, visit func(field) error) error {
	for at := 0; at < len(message); {
		num, typ, n := protowire.ConsumeTag(message[at:])
		if n < 0 {
			return fmt.Errorf("byte %d: not a protobuf message: %w", base+int64(at), protowire.ParseError(n))
		}
		at += n
		f := field{num: num, typ: typ, offset: base + int64(at)}
		switch typ {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(message[at:])
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message[at:])
			f.number = uint64(v)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(message[at:])
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message[at:])
			f.offset += int64(max(n, 0) - len(f.bytes))
		default: // groups, which ONNX does not use
			n = protowire.ConsumeFieldValue(num, typ, message[at:])
		}
		if n < 0 {
			return fmt.Errorf("byte %d: field %d: %w", f.offset, num, protowire.ParseError(n))
		}
		at += n
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// is returns an error unless the field has the wire type that onnx.proto declares for it.
func (f field) is(typ protowire.Type) error {
	if f.typ != typ {
		return fmt.Errorf("byte %d: field %d has wire type %d, expected %d", f.offset, f.num, f.typ, typ)
	}
	return nil
}

// numbers passes each number in a repeated field, packed or not, to the function give.
func (f field) numbers(typ protowire.Type, give func(uint64)) error {
	if f.typ == typ {
		give(f.number)
		return nil
	}
	if err := f.is(protowire.BytesType); err != nil {
		return err
	}
	for at := 0; at < len(f.bytes); {
		var v uint64
		var n int
		switch typ {
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(f.bytes[at:])
			v = uint64(short)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(f.bytes[at:])
		default:
			v, n = protowire.ConsumeVarint(f.bytes[at:])
		}
		if n < 0 {
			return fmt.Errorf("byte %d: field %d: %w", f.offset+int64(at), f.num,
				protowire.ParseError(n))
		}
		give(v)
		at += n
	}
	return nil
}
