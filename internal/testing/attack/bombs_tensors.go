//go:build linux || darwin

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensorFiles returns hostile files in the formats safetensors and ONNX's TensorProto.
func tensorFiles() []bomb {
	read := []string{"inspect FILE", "compare FILE FILE"}
	each := func(n int, kind, shape string, size, further, from int) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			var header strings.Builder
			for i := range n {
				start := from + further*i
				fmt.Fprintf(&header, `,"%d":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}`, i, kind,
					shape, start, start+size)
			}
			length := binary.LittleEndian.AppendUint64(nil, uint64(header.Len()+1))
			put(w, string(length), "{", header.String()[1:], "}")
			zeros(w, from+further*(n-1)+size)
		}
	}
	same := func(n int, kind, shape string, size int) func(*bufio.Writer) {
		return each(n, kind, shape, size, 0, 0)
	}
	return []bomb{
		{"overlapping.safetensors", same(20_000, "U8", "4000000", 4_000_000), read},
		{"overlapping and odd.safetensors", each(20_000, "F32", "1000000", 4_000_000, 0, 1), read},
		{"empty.safetensors", same(500_000, "F32", "0", 0), read},
		{"tiny.safetensors", each(100_000, "F32", "1", 4, 4, 0), read},
		{"one.safetensors", same(1, "F32", "25000001", 100_000_004), read},
		{"bools.safetensors", same(1, "BOOL", "50000000", 50_000_000), read},
		{"packed numbers.pb", tensorOf(7, 7, 30_000_000, 30_000_000), read},
		{"packed small numbers.pb", tensorOf(3, 5, 30_000_000, 30_000_000), read},
		{"empty strings.pb", func(w *bufio.Writer) {
			put(w, string(number(1, 10_000_000)), string(number(2, 8)))
			repeat(w, 10_000_000, "\x32\x00")
		}, read},
		{"dims.pb", func(w *bufio.Writer) { put(w, string(long(1, 30_000_000, "\x01"))) }, read},
		{"raw.pb", tensorOf(1, 9, 15_000_000, 60_000_000), read},
	}
}

// tensorOf returns a function that writes a TensorProto with one dimension, dim. The given field of
// the TensorProto contains only zero bytes. size is the number of zero bytes.
func tensorOf(dataType int64, field protowire.Number, dim int64, size int) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		put(w, string(number(1, dim)), string(number(2, dataType)), string(long(field, size, "\x00")))
	}
}
