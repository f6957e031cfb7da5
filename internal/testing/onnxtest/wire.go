package onnxtest

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message appends a length-delimited field.
func Message(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

// Varint appends an integer field.
func Varint(b []byte, number protowire.Number, value int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType),
		uint64(value))
}

// text appends a string field, or nothing if value is empty.
func text(b []byte, number protowire.Number, value string) []byte {
	if value == "" {
		return b
	}
	return Message(b, number, []byte(value))
}

// Float32s returns the values as raw tensor data.
func Float32s(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = protowire.AppendFixed32(b, bits(v))
	}
	return b
}

// Int64s returns the values as raw tensor data.
func Int64s(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = protowire.AppendFixed64(b, uint64(v))
	}
	return b
}

func bits(v float32) uint32 { return math.Float32bits(v) }
