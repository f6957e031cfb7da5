package onnxpb_test

import (
	"bytes"
	"testing"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
)

// FuzzDecode holds that no message panics, and that a tensor is written as it was read.
func FuzzDecode(f *testing.F) {
	for _, c := range cases() {
		f.Add(c.PB, uint8(kinds[c.Kind]))
	}
	f.Fuzz(func(t *testing.T, pb []byte, kind uint8) {
		entries, err := onnxpb.Decode(pb, onnxpb.Kind(kind%3), "x")
		if err != nil {
			return
		}
		for _, e := range entries {
			again, err := onnxpb.Append(nil, e.Name, e.Tensor)
			if err != nil {
				t.Fatal(err)
			}
			name, read, err := onnxpb.Tensor(again)
			if err != nil || name != e.Name || read.String() != e.Tensor.String() ||
				!bytes.Equal(read.Bytes(), e.Tensor.Bytes()) {
				t.Fatalf("%v was read as %v, %v", e.Tensor, read, err)
			}
		}
	})
}
