//go:build linux || darwin

package main

import (
	"bufio"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a length-delimited field.
func message(number protowire.Number, body ...byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), body)
}

// text is a field that holds a text.
func text(number protowire.Number, value string) []byte { return message(number, []byte(value)...) }

// join puts fields behind one another.
func join(fields ...[]byte) (all []byte) {
	for _, f := range fields {
		all = append(all, f...)
	}
	return all
}

// tensorValue is a ValueInfoProto of a float tensor of one dimension.
func tensorValue(name string) []byte {
	dim := message(1, protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)...)
	elem := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	return join(text(1, name), message(2, message(1, join(elem, message(2, dim...))...)...))
}

// onnxModel writes a model whose graph is n pieces between an input x and an output y.
func onnxModel(n int, piece func(i int) []byte) func(*bufio.Writer) error {
	return func(w *bufio.Writer) error {
		ends := join(message(11, tensorValue("x")...), message(12, tensorValue("y")...), text(2, "g"),
			message(1, join(text(1, "x"), text(2, "y"), text(4, "Relu"))...))
		size := counter(len(ends))
		for i := range n {
			if _, err := size.Write(piece(i)); err != nil {
				return err
			}
		}
		version := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 17)
		opset := message(8, version...)
		head := join(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 8), opset)
		head = protowire.AppendVarint(protowire.AppendTag(head, 7, protowire.BytesType), uint64(size))
		if _, err := w.Write(join(head, ends)); err != nil {
			return err
		}
		for i := range n {
			if _, err := w.Write(piece(i)); err != nil {
				return err
			}
		}
		return nil
	}
}

// always gives the same piece.
func always(piece []byte) func(int) []byte { return func(int) []byte { return piece } }

// nested is a node with a body of one node with a body, and so on.
func nested(depth int, inside []byte) []byte {
	for range depth {
		body := message(6, message(1, inside...)...)
		inside = join(text(4, "If"), message(5, body...))
	}
	return message(1, inside...)
}

// onnxFiles are models.
func onnxFiles() []hostile {
	look := []string{"inspect FILE", "inspect FILE --full", "inspect FILE --json",
		"cut FILE -o out.onnx --to y"}
	short := []string{"inspect FILE"}
	relu := func(i int) []byte {
		return message(1, join(text(1, fmt.Sprintf("%x", i)), text(2, fmt.Sprintf("%x", i+1)),
			text(4, "Relu"))...)
	}
	external := join(message(13, join(text(1, "location"), text(2, "w"))...),
		protowire.AppendVarint(protowire.AppendTag(nil, 14, protowire.VarintType), 1))
	return []hostile{
		{"nodes.onnx", onnxModel(1_000_000, relu), append(look, "inspect FILE FILE")},
		{"same nodes.onnx", onnxModel(1_000_000, always(message(1, join(text(1, "x"), text(2, "z"),
			text(4, "Relu"))...))), look},
		{"empty nodes.onnx", onnxModel(5_000_000, always(message(1))), look},
		{"empty inputs of nodes.onnx", onnxModel(1, always(message(1, []byte(
			repeated(10_000_000, "\x0a\x00"))...))), look},
		{"empty attributes.onnx", onnxModel(1, always(message(1, []byte(
			repeated(10_000_000, "\x2a\x00"))...))), look},
		{"empty bodies.onnx", onnxModel(1, always(message(1, message(5, []byte(
			repeated(10_000_000, "\x32\x00"))...)...))), look},
		{"integers.onnx", onnxModel(1, always(message(1, message(5, join(text(1, "axes"), message(8,
			[]byte(repeated(30_000_000, "\x01"))...))...)...))), look},
		{"strings.onnx", onnxModel(1, always(message(1, message(5, join(text(1, "s"), []byte(
			repeated(10_000_000, "\x4a\x00")))...)...))), look},
		{"long text.onnx", onnxModel(1, always(message(1, message(5, join(text(1, "s"), text(4,
			repeated(30_000_000, "s")))...)...))), look},
		{"long name.onnx", onnxModel(1, always(message(1, text(3, repeated(30_000_000, "n"))...))), look},
		{"empty initializers.onnx", onnxModel(5_000_000, always(message(5))), look},
		{"initializers.onnx", onnxModel(500_000, func(i int) []byte {
			return message(5, join(protowire.AppendVarint(protowire.AppendTag(nil, 2,
				protowire.VarintType), 1), text(8, fmt.Sprintf("w%x", i)), message(9, 0, 0, 0, 0))...)
		}), append(look, "inspect FILE FILE")},
		{"dims.onnx", onnxModel(1, always(message(5, message(1, []byte(
			repeated(30_000_000, "\x01"))...)...))), look},
		{"external.onnx", onnxModel(500_000, always(message(5, external...))), short},
		{"empty inputs.onnx", onnxModel(5_000_000, always(message(11))), look},
		{"value infos.onnx", onnxModel(500_000, func(i int) []byte {
			return message(13, tensorValue(fmt.Sprintf("%x", i))...)
		}), look},
		{"dims of values.onnx", onnxModel(1, always(message(13, message(2, message(1, message(2,
			[]byte(repeated(10_000_000, "\x0a\x00"))...)...)...)...))), look},
		{"deep bodies.onnx", onnxModel(100_000, always(nested(33, nil))), look},
		{"too deep.onnx", onnxModel(1, always(nested(2000, nil))), look},
		{"wide body.onnx", onnxModel(1, always(nested(1, join(text(4, "If"), message(5, message(6,
			[]byte(repeated(1_000_000, string(message(1, join(text(1, "x"), text(2, "z"),
				text(4, "Relu"))...))))...)...))))), look},
		{"functions.onnx", func(w *bufio.Writer) error {
			if err := repeat(w, 5_000_000, "\xca\x01\x00"); err != nil {
				return err
			}
			return onnxModel(1, relu)(w)
		}, look},
		{"opsets.onnx", func(w *bufio.Writer) error {
			if err := repeat(w, 5_000_000, "\x42\x00"); err != nil {
				return err
			}
			return onnxModel(1, relu)(w)
		}, look},
		{"graphs.onnx", func(w *bufio.Writer) error {
			if err := repeat(w, 5_000_000, "\x3a\x00"); err != nil {
				return err
			}
			return onnxModel(1, relu)(w)
		}, look},
	}
}

// repeated is a text n times.
func repeated(n int, s string) string {
	b := make([]byte, 0, n*len(s))
	for range n {
		b = append(b, s...)
	}
	return string(b)
}
