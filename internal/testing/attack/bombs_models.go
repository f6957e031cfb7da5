//go:build linux || darwin

package main

import (
	"bufio"
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// message encodes a field that contains other fields.
func message(n protowire.Number, fields ...[]byte) []byte {
	return onnxtest.Message(nil, n, bytes.Join(fields, nil))
}

// text encodes a string field.
func text(n protowire.Number, value string) []byte { return message(n, []byte(value)) }

// long encodes a field that contains n copies of value.
func long(field protowire.Number, n int, value string) []byte {
	return message(field, bytes.Repeat([]byte(value), n))
}

// number encodes an integer field.
func number(n protowire.Number, value int64) []byte { return onnxtest.Varint(nil, n, value) }

// tensorValue encodes a field with the ValueInfoProto of a float tensor that has one dimension.
func tensorValue(n protowire.Number, name string) []byte {
	return message(n, onnxtest.Value{Name: name, Elem: 1, Dims: []any{1}}.Bytes())
}

// relu encodes a Relu node.
func relu(in, out string) []byte { return message(1, text(1, in), text(2, out), text(4, "Relu")) }

// onnxModel returns a function that writes a model. Its graph has an input x, an output y, a Relu
// from x to y, and the n fields that piece encodes.
func onnxModel(n int, piece func(i int) []byte) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		graph := bytes.Join([][]byte{tensorValue(11, "x"), tensorValue(12, "y"), text(2, "g"),
			relu("x", "y")}, nil)
		for i := range n {
			graph = append(graph, piece(i)...)
		}
		put(w, string(number(1, 8)), string(message(8, number(2, 17))), string(message(7, graph)))
	}
}

// pieces is like [onnxModel], with n copies of the same piece.
func pieces(n int, piece []byte) func(*bufio.Writer) {
	return onnxModel(n, func(int) []byte { return piece })
}

// nested encodes a node whose body contains a node with a body, and so on, depth times.
func nested(depth int, inside ...[]byte) []byte {
	for range depth {
		inside = [][]byte{text(4, "If"), message(5, message(6, message(1, inside...)))}
	}
	return message(1, inside...)
}

func onnxFiles() []bomb {
	look := []string{"inspect FILE", "inspect FILE --full", "inspect FILE --json",
		"cut FILE -o out.onnx --to y"}
	chain := func(i int) []byte { return relu(fmt.Sprintf("%x", i), fmt.Sprintf("%x", i+1)) }
	before := func(n int, field string) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			repeat(w, n, field)
			onnxModel(1, chain)(w)
		}
	}
	return []bomb{
		{"nodes.onnx", onnxModel(1_000_000, chain), append(look, "inspect FILE FILE")},
		{"same nodes.onnx", pieces(1_000_000, relu("x", "z")), look},
		{"empty nodes.onnx", pieces(5_000_000, message(1)), look},
		{"nodes with empty inputs.onnx", pieces(1, long(1, 10_000_000, "\x0a\x00")), look},
		{"empty attributes.onnx", pieces(1, long(1, 10_000_000, "\x2a\x00")), look},
		{"empty bodies.onnx", pieces(1, message(1, long(5, 10_000_000, "\x32\x00"))), look},
		{"integers.onnx", pieces(1, message(1, message(5, text(1, "axes"),
			long(8, 30_000_000, "\x01")))), look},
		{"strings.onnx", pieces(1, message(1, message(5, text(1, "s"),
			bytes.Repeat([]byte("\x4a\x00"), 10_000_000)))), look},
		{"long text.onnx", pieces(1, message(1, message(5, text(1, "s"),
			long(4, 30_000_000, "s")))), look},
		{"long name.onnx", pieces(1, message(1, long(3, 30_000_000, "n"))), look},
		{"empty initializers.onnx", pieces(5_000_000, message(5)), look},
		{"initializers.onnx", onnxModel(500_000, func(i int) []byte {
			return message(5, number(2, 1), text(8, fmt.Sprintf("w%x", i)), text(9, "\x00\x00\x00\x00"))
		}), append(look, "inspect FILE FILE")},
		{"dims.onnx", pieces(1, message(5, long(1, 30_000_000, "\x01"))), look},
		{"external.onnx", pieces(500_000, message(5, message(13, text(1, "location"), text(2, "w")),
			number(14, 1))), look[:1]},
		{"empty inputs.onnx", pieces(5_000_000, message(11)), look},
		{"value infos.onnx", onnxModel(500_000, func(i int) []byte {
			return tensorValue(13, fmt.Sprintf("%x", i))
		}), look},
		{"dims of values.onnx", pieces(1, message(13, message(2, message(1,
			long(2, 10_000_000, "\x0a\x00"))))), look},
		{"deep bodies.onnx", pieces(100_000, nested(33)), look},
		{"too deep.onnx", pieces(1, nested(2000)), look},
		{"wide body.onnx", pieces(1, nested(1, text(4, "If"), message(5,
			long(6, 1_000_000, string(relu("x", "z")))))), look},
		{"functions.onnx", before(5_000_000, "\xca\x01\x00"), look},
		{"opsets.onnx", before(5_000_000, "\x42\x00"), look},
		{"graphs.onnx", before(5_000_000, "\x3a\x00"), look},
		{"groups.onnx", func(w *bufio.Writer) { repeat(w, 5_000_000, "\x3b") }, look},
	}
}
