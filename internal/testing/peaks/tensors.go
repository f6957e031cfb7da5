//go:build linux || darwin

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensorFiles are safetensors and ONNX's TensorProto.
func tensorFiles() []hostile {
	read := []string{"inspect FILE", "compare FILE FILE"}
	safe := func(header func(w io.Writer, i int) error, n, body int) func(*bufio.Writer) error {
		return func(w *bufio.Writer) error {
			length := counter(2 + n - 1)
			for i := range n {
				if err := header(&length, i); err != nil {
					return err
				}
			}
			start := binary.LittleEndian.AppendUint64(nil, uint64(length))
			if _, err := w.Write(append(start, '{')); err != nil {
				return err
			}
			for i := range n {
				if i > 0 {
					if err := w.WriteByte(','); err != nil {
						return err
					}
				}
				if err := header(w, i); err != nil {
					return err
				}
			}
			if err := w.WriteByte('}'); err != nil {
				return err
			}
			return zeros(w, body)
		}
	}
	entry := func(kind, shape string, start, end int) func(io.Writer, int) error {
		return func(w io.Writer, i int) error {
			_, err := fmt.Fprintf(w, `"%d":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}`, i, kind,
				shape, start, end)
			return err
		}
	}
	each := func(w io.Writer, i int) error { return entry("F32", "1", 4*i, 4*i+4)(w, i) }
	return []hostile{
		{"overlapping.safetensors", safe(entry("U8", "4000000", 0, 4_000_000), 20_000, 4_000_000), read},
		{"overlapping and odd.safetensors", safe(entry("F32", "1000000", 1, 4_000_001), 20_000,
			4_000_001), read},
		{"empty.safetensors", safe(entry("F32", "0", 0, 0), 500_000, 0), read},
		{"tiny.safetensors", safe(each, 100_000, 400_000), read},
		{"one.safetensors", safe(entry("F32", "25000001", 0, 100_000_004), 1, 100_000_004), read},
		{"bools.safetensors", safe(entry("BOOL", "50000000", 0, 50_000_000), 1, 50_000_000), read},
		{"packed numbers.pb", tensorOf(7, 7, protowire.AppendVarint(nil, 30_000_000), 30_000_000), read},
		{"packed small numbers.pb", tensorOf(3, 5, protowire.AppendVarint(nil, 30_000_000), 30_000_000),
			read},
		{"empty strings.pb", stringsOf(10_000_000), read},
		{"dims.pb", func(w *bufio.Writer) error {
			b := protowire.AppendTag(nil, 1, protowire.BytesType)
			if _, err := w.Write(protowire.AppendVarint(b, 30_000_000)); err != nil {
				return err
			}
			return repeat(w, 30_000_000, "\x01")
		}, read},
		{"raw.pb", tensorOf(1, 9, protowire.AppendVarint(nil, 15_000_000), 60_000_000), read},
	}
}

// counter counts what is written to it.
type counter uint64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// tensorOf writes a TensorProto of one dimension whose values are size zero bytes in a field.
func tensorOf(dataType, number uint64, dim []byte, size int) func(*bufio.Writer) error {
	return func(w *bufio.Writer) error {
		b := append(protowire.AppendTag(nil, 1, protowire.VarintType), dim...)
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), dataType)
		b = protowire.AppendTag(b, protowire.Number(number), protowire.BytesType)
		if _, err := w.Write(protowire.AppendVarint(b, uint64(size))); err != nil {
			return err
		}
		return zeros(w, size)
	}
}

// stringsOf writes a TensorProto of n empty strings.
func stringsOf(n int) func(*bufio.Writer) error {
	return func(w *bufio.Writer) error {
		b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(n))
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), 8)
		if _, err := w.Write(b); err != nil {
			return err
		}
		return repeat(w, n, string(protowire.AppendTag(nil, 6, protowire.BytesType))+"\x00")
	}
}
